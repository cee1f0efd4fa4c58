// Everything between two calls of the model in a beam search: beam_step.py, which does it on a GPU, in C++.
//
// The readable version is in decoding/beam_candidates.py and decoding/beam_fast.py: the same candidates by the same rule,
// scores in double precision, and the same test for ties that might reach beyond what was looked at.

#pragma once

#include <algorithm>

#include "cpu_layers.hpp"

// Whoever calls lays this out in memory as it stands here: beam_step_cpu.py.
extern "C" {
struct Selection {
    const float *logits; // [sentences * size, vocabulary]
    int64_t sentences, size, vocabulary;
    int64_t *reads; // what the search carries from step to step, all overwritten
    double *alive, *finished;
    int64_t *length, *done;
    const int64_t *limits; // what does not change
    const double *penalties, *largest;
    int64_t penalty_stride;
    int64_t *names; // what is found
    double *scores;
    int64_t *onward;
    double *margin;
    int64_t *parents;
    int64_t deciding, ending, current_length, beyond, padding, end, start;
    double steps_per_nat;
    int64_t threads;
};
}

namespace {

constexpr double NEVER = -INFINITY;

struct Candidate {
    float near;   // its score beside the best of the sentence: few digits are enough for what is close to it
    int64_t name; // parent * vocabulary + token
    double score = NEVER, grid = NEVER;

    bool before(const Candidate &other) const { return near != other.near ? near > other.near : name < other.name; }
};

struct Sentence {
    const Selection &task;
    const int64_t sentence, size, vocabulary;
    double *const alive, *const finished;

    Sentence(const Selection &task, int64_t sentence)
        : task(task), sentence(sentence), size(task.size), vocabulary(task.vocabulary), alive(task.alive + sentence * size),
          finished(task.finished + sentence * size) {}

    double on_grid(double score) const { return std::nearbyint(score * task.steps_per_nat); }

    // A sentence that is complete stays in the batch: its hypotheses become empty places, which cost the model nothing.
    bool rests() const {
        if (!task.done[sentence]) return false;
        ++task.length[sentence];
        for (int64_t place = 0; place < 2 * size; ++place)
            task.names[sentence * 2 * size + place] = 0, task.scores[sentence * 2 * size + place] = NEVER;
        for (int64_t place = 0; place < size; ++place) {
            task.onward[sentence * size + place] = task.parents[sentence * size + place] = place;
            task.reads[sentence * size + place] = task.padding;
        }
        task.margin[sentence] = INFINITY;
        return true;
    }

    // Of all outputs that have ended, as many as the beam has places.
    void keep_best(std::vector<double> &ends) const {
        std::sort(ends.begin(), ends.end(), [](double left, double right) { return left > right; });
        std::copy(ends.begin(), ends.begin() + size, finished);
    }

    // Whether nothing alive can still displace the finished output that the stop rule looks at.
    void settle(int64_t now, double penalty, double hopes) const {
        hopes = std::min(hopes, -1e-30); // ALMOST_CERTAIN of beam.py
        double bound = on_grid(hopes / (task.current_length ? penalty : task.largest[sentence])), deciding = NEVER;
        if (task.deciding > 0)
            deciding = finished[task.deciding - 1];
        else
            for (int64_t place = 0; place < size; ++place) deciding = finished[place] > NEVER ? finished[place] : deciding;
        if (deciding >= bound || now == task.limits[sentence]) task.done[sentence] = now;
    }

    // The candidates that come closest, the best first, at most `listed`. A block is only looked at where its maximum
    // would be among them.
    std::vector<Candidate> closest(size_t listed, bool &sound) const {
        double best = std::max(*std::max_element(alive, alive + size), -1e30);
        std::vector<Candidate> found;
        std::vector<float> maxima((vocabulary + BLOCK - 1) / BLOCK);
        for (int64_t parent = 0; parent < size; ++parent) {
            const float *logits = task.logits + (sentence * size + parent) * vocabulary;
            if (alive[parent] == NEVER) continue;
            float highest = arithmetic.block_maxima(logits, vocabulary, maxima.data());
            float normaliser = arithmetic.normaliser(logits, vocabulary, highest);
            sound = sound && std::isfinite(normaliser);
            double shift = alive[parent] - normaliser;
            float offset = static_cast<float>(shift - best);
            for (int64_t token = 0; token < vocabulary; ++token) {
                if (token % BLOCK == 0 && found.size() == listed && !(maxima[token / BLOCK] + offset >= found.back().near)) {
                    token += BLOCK - 1;
                    continue;
                }
                Candidate one{logits[token] + offset, parent * vocabulary + token};
                if (token == task.padding || token == task.start || !(one.near > NEVER)) continue;
                if (found.size() == listed && !one.before(found.back())) continue;
                one.score = logits[token] + shift;
                one.grid = on_grid(one.score);
                if (found.size() == listed) found.pop_back();
                found.insert(std::upper_bound(found.begin(), found.end(), one,
                                              [](const Candidate &left, const Candidate &right) { return left.before(right); }),
                             one);
            }
        }
        return found;
    }

    void select() const {
        if (rests()) return;
        bool sound = true;
        const size_t both = 2 * size, all = size * vocabulary, listed = std::min(both + task.beyond, all);
        std::vector<Candidate> found = closest(listed, sound);
        found.resize(listed, Candidate{-INFINITY, 0});
        // Those that are left are ordered in double precision, on the grid, then by name: ranking.py.
        std::stable_sort(found.begin(), found.end(), [&](const Candidate &left, const Candidate &right) {
            return left.grid != right.grid ? left.grid > right.grid : left.grid > NEVER && left.name < right.name;
        });
        double worst = found[both - 1].grid, edge = std::max(found.back().grid, -1e300);
        task.margin[sentence] = !sound ? 0 : listed < all && worst > NEVER ? worst - edge : INFINITY;

        // Those that end join the finished ones, of which the best stay. The others live on in their order; what ended
        // comes last, as an empty place.
        int64_t now = ++task.length[sentence];
        double penalty = task.penalties[sentence * task.penalty_stride + now];
        std::vector<double> ends(finished, finished + size);
        std::vector<int64_t> line, last;
        for (size_t place = 0; place < both; ++place) {
            const Candidate &one = found[place];
            task.names[sentence * both + place] = one.name, task.scores[sentence * both + place] = one.score;
            bool ended = one.name % vocabulary == task.end;
            (ended ? last : line).push_back(static_cast<int64_t>(place));
            if (ended && static_cast<int64_t>(place) < task.ending) ends.push_back(on_grid(one.score / penalty));
        }
        keep_best(ends);
        const int64_t open = static_cast<int64_t>(line.size());
        line.insert(line.end(), last.begin(), last.end());
        double hopes = NEVER;
        for (int64_t place = 0; place < size; ++place) {
            const Candidate &one = found[line[place]];
            task.onward[sentence * size + place] = line[place];
            task.parents[sentence * size + place] = one.name / vocabulary;
            task.reads[sentence * size + place] = one.name % vocabulary;
            alive[place] = place < open ? one.score : NEVER;
            hopes = std::max(hopes, alive[place]);
        }

        settle(now, penalty, hopes);
    }
};

// `one` chooses for one sentence.
template <class One> void for_sentences(const Selection &task, const One &one) {
    // An exponential is some twenty multiplications.
    int64_t work = 20 * task.sentences * task.size * task.vocabulary;
    Threads::Team(Threads::all(), useful(task.threads, work)).share(task.sentences, 1, [&](int64_t first, int64_t last) {
        for (int64_t sentence = first; sentence < last; ++sentence) one(sentence);
    });
}

void select_candidates(const Selection &task) {
    for_sentences(task, [&](int64_t sentence) { Sentence(task, sentence).select(); });
}

} // namespace

extern "C" int64_t beam_select(const Selection *task) {
    return told([&] {
        select_candidates(*task);
        return 0;
    });
}
