// Everything between two calls of the model in a search for outputs with terms.
//
// The readable version is decoding/constrained_beam.py, sentence by sentence; in torch it is in
// decoding/constrained_beam_fast.py, and what the tables hold is said in decoding/terms_fast.py.

#pragma once

#include "beam_step_cpu.hpp"

// Whoever calls lays this out in memory as it stands here: beam_step_cpu.py.
extern "C" {
struct Terms {
    int64_t *node, *met, *number_met; // how far each hypothesis has come, overwritten as all of these
    double *begun, *lost;
    int64_t *lost_banks;
    const int64_t *terms, *roots, *shares, *turns, *sizes; // of each sentence
    int64_t share_count, bank_count;
    const int64_t *tokens, *targets; // of each node and edge
    const bool *own;
    const int64_t *shadow;
    int64_t edges;
    const int64_t *wanted, *accepts; // of each node
    const bool *free, *continues, *inner;
    const bool *begins, *opens; // of each token
};
}

namespace {

struct Reading {
    int64_t node, met, number_met;
};

struct Extension {
    int64_t name; // parent * vocabulary + token
    double score, grid, begun;
    Reading reading;
};

// A candidate, or an end that lacks terms, in the line for places.
struct Ranked {
    int64_t turn;
    double in_progress, grid;
    bool lost;
    int64_t name;
    size_t index;

    bool before(const Ranked &other) const {
        if (turn != other.turn) return turn < other.turn;
        if (in_progress != other.in_progress) return in_progress > other.in_progress;
        if (grid != other.grid) return grid > other.grid;
        return lost != other.lost ? other.lost : name < other.name;
    }
};

struct SentenceWithTerms : Sentence {
    const Terms &terms;

    SentenceWithTerms(const Selection &task, const Terms &terms, int64_t sentence) : Sentence(task, sentence), terms(terms) {}

    Reading reading(int64_t place) const {
        int64_t here = sentence * size + place;
        return {terms.node[here], terms.met[here], terms.number_met[here]};
    }

    // The missing terms that a form has just been completed of, as bits.
    int64_t complete(const Reading &read) const { return terms.accepts[read.node] & ~read.met; }

    int64_t number_with_this(const Reading &read) const { return read.number_met + (complete(read) != 0); }

    int64_t bank(const Reading &read) const { return 2 * number_with_this(read) + (terms.inner[read.node] && !complete(read)); }

    int64_t turn(int64_t bank) const { return terms.turns[sentence * terms.bank_count + std::min(bank, terms.bank_count - 1)]; }

    bool ends_word(const Reading &read, int64_t token) const { return terms.begins[token] || terms.free[read.node]; }

    // Whether a stem is complete and its word goes on.
    bool stays(const Reading &read, int64_t token) const {
        return complete(read) && !ends_word(read, token) && terms.continues[read.node];
    }

    // At another node; a word that has ended meets the first of the terms that were complete.
    Reading moved(const Reading &read, int64_t node, bool word_ended) const {
        const int64_t met = word_ended ? complete(read) : 0;
        return {node, read.met | (met & -met), read.number_met + (met != 0)};
    }

    Reading along(const Reading &read, int64_t edge) const {
        return moved(read, terms.targets[edge], !terms.own[edge] && ends_word(read, terms.tokens[edge]));
    }

    bool relevant(const Reading &read, int64_t edge) const {
        return terms.tokens[edge] != task.padding && (terms.wanted[terms.targets[edge]] & ~along(read, edge).met);
    }

    // All tokens that lead into a term or further in it.
    void into_terms(int64_t parent, const float *logits, double shift, std::vector<Extension> &found) const {
        const Reading read = reading(parent);
        const int64_t first = read.node * terms.edges;
        for (int64_t edge = first; edge < first + terms.edges; ++edge) {
            const int64_t token = terms.tokens[edge];
            const bool own = terms.own[edge], goes_on = own && terms.inner[read.node];
            if (!relevant(read, edge) || (!own && stays(read, token))) continue;
            if (terms.shadow[edge] >= 0 && relevant(read, first + terms.shadow[edge])) continue;
            const double score = logits[token] + shift;
            if (score > NEVER)
                found.push_back({parent * vocabulary + token, score, on_grid(score),
                                 goes_on ? terms.begun[sentence * size + parent] : score, along(read, edge)});
        }
    }

    // After a token that leads into no term.
    Reading after(const Reading &read, int64_t token) const {
        return stays(read, token) ? read : moved(read, terms.roots[sentence] + terms.opens[token], ends_word(read, token));
    }

    // The best other tokens, as many as there are places: of those that begin a word and those that do not, where that
    // decides about a term. What comes after `into` leads into terms. False where a tie may reach beyond what was kept.
    bool others(int64_t parent, const float *logits, const std::vector<float> &maxima, double shift, size_t into,
                std::vector<Extension> &found) const {
        const Reading read = reading(parent);
        const bool apart = complete(read) && !terms.free[read.node];
        const size_t listed = size + task.beyond, leading = found.size();
        bool clear = true;
        auto leads_into_term = [&](int64_t token) {
            return std::any_of(found.begin() + into, found.begin() + leading,
                               [&](const Extension &one) { return one.name % vocabulary == token; });
        };
        for (int kind = 0; kind < (apart ? 2 : 1); ++kind) {
            std::vector<std::pair<float, int64_t>> best; // the highest first, of equals the first one
            for (int64_t token = 0; token < vocabulary; ++token) {
                if (token % BLOCK == 0 && best.size() == listed && !(maxima[token / BLOCK] > best.back().first)) {
                    token += BLOCK - 1;
                    continue;
                }
                const float logit = logits[token];
                if (best.size() == listed && !(logit > best.back().first)) continue;
                if (token == task.padding || token == task.start || token == task.end || !(logit > NEVER)) continue;
                if ((apart && terms.begins[token] != (kind == 0)) || leads_into_term(token)) continue;
                if (best.size() == listed) best.pop_back();
                best.insert(std::upper_bound(best.begin(), best.end(), logit, [](float one, const auto &other) { return one > other.first; }),
                            {logit, token});
            }
            std::vector<Extension> own;
            for (const auto &[logit, token] : best) {
                const double score = logit + shift;
                own.push_back({parent * vocabulary + token, score, on_grid(score), score, after(read, token)});
            }
            std::sort(own.begin(), own.end(), [](const Extension &left, const Extension &right) {
                return left.grid != right.grid ? left.grid > right.grid : left.name < right.name;
            });
            if (own.size() == listed) clear = clear && own[size - 1].grid > own.back().grid;
            own.resize(std::min(own.size(), static_cast<size_t>(size)));
            found.insert(found.end(), own.begin(), own.end());
        }
        return clear;
    }

    void select() const {
        if (rests()) return;
        bool sound = true, clear = true;
        std::vector<Extension> found;
        std::vector<float> maxima((vocabulary + BLOCK - 1) / BLOCK);
        std::vector<double> outputs(size, NEVER), lost(terms.lost + sentence * size, terms.lost + (sentence + 1) * size);
        std::vector<int64_t> lost_banks(terms.lost_banks + sentence * size, terms.lost_banks + (sentence + 1) * size);
        for (int64_t parent = 0; parent < size; ++parent) {
            if (alive[parent] == NEVER) continue;
            const float *logits = task.logits + (sentence * size + parent) * vocabulary;
            const float highest = arithmetic.block_maxima(logits, vocabulary, maxima.data());
            const float normaliser = arithmetic.normaliser(logits, vocabulary, highest);
            if (!std::isfinite(normaliser)) {
                sound = false; // and nothing is ranked by what is no number
                continue;
            }
            const double shift = alive[parent] - normaliser, end = logits[task.end] + shift;
            const size_t into = found.size();
            into_terms(parent, logits, shift, found);
            clear = others(parent, logits, maxima, shift, into, found) && clear;
            const int64_t met = number_with_this(reading(parent));
            if (met == terms.terms[sentence])
                outputs[parent] = end;
            else if (end > NEVER)
                lost.push_back(end), lost_banks.push_back(2 * met);
        }
        const std::vector<Ranked> line = ranked(found, lost, lost_banks);
        give_places(line, found, outputs);
        keep_lost(line, lost, lost_banks);
        task.margin[sentence] = sound && clear ? INFINITY : 0;
    }

    std::vector<Ranked> ranked(const std::vector<Extension> &found, const std::vector<double> &lost,
                               const std::vector<int64_t> &lost_banks) const {
        const int64_t nobody = terms.share_count - 1;
        std::vector<Ranked> line;
        for (size_t index = 0; index < found.size(); ++index) {
            const Extension &one = found[index];
            const int64_t own_bank = bank(one.reading), own_turn = turn(own_bank);
            // A term in progress is ranked by the score it was begun with.
            if (own_turn != nobody)
                line.push_back({own_turn, own_bank % 2 ? on_grid(one.begun) : 0, one.grid, false, one.name, index});
        }
        for (size_t index = 0; index < lost.size(); ++index)
            if (lost[index] > NEVER && turn(lost_banks[index]) != nobody)
                line.push_back({turn(lost_banks[index]), 0, on_grid(lost[index]), true, static_cast<int64_t>(index), index});
        std::sort(line.begin(), line.end(), [](const Ranked &left, const Ranked &right) { return left.before(right); });
        return line;
    }

    // `take` is told of each in the line whether its bank has a share in the places for it.
    template <class Take> void deal(const std::vector<Ranked> &line, const Take &take) const {
        int64_t within = 0;
        for (size_t place = 0; place < line.size(); ++place, ++within) {
            if (place && line[place].turn != line[place - 1].turn) within = 0;
            take(line[place], within < terms.shares[sentence * terms.share_count + line[place].turn]);
        }
    }

    void give_places(const std::vector<Ranked> &line, const std::vector<Extension> &found, const std::vector<double> &outputs) const {
        std::vector<size_t> chosen, more;
        deal(line, [&](const Ranked &one, bool has_share) {
            if (!one.lost) (has_share ? chosen : more).push_back(one.index);
        });
        // What banks leave empty goes to others, as long as there are fewer hypotheses than were asked for.
        for (size_t each = 0; each < more.size() && static_cast<int64_t>(chosen.size()) < terms.sizes[sentence]; ++each)
            chosen.push_back(more[each]);

        const int64_t now = ++task.length[sentence], here = sentence * size;
        const double penalty = task.penalties[sentence * task.penalty_stride + now];
        std::vector<double> ends(finished, finished + size);
        for (double output : outputs)
            if (output > NEVER) ends.push_back(on_grid(output / penalty));
        keep_best(ends);
        double hopes = NEVER;
        for (int64_t place = 0; place < size; ++place) {
            const bool empty = place >= static_cast<int64_t>(chosen.size());
            const Extension one = empty ? Extension{0, NEVER, NEVER, NEVER, {terms.roots[sentence], 0, 0}} : found[chosen[place]];
            task.names[2 * here + place] = one.name, task.scores[2 * here + place] = one.score;
            task.names[2 * here + size + place] = place * vocabulary + task.end, task.scores[2 * here + size + place] = outputs[place];
            task.onward[here + place] = place, task.parents[here + place] = one.name / vocabulary;
            task.reads[here + place] = empty ? task.padding : one.name % vocabulary;
            alive[place] = one.score, hopes = std::max(hopes, one.score);
            terms.node[here + place] = one.reading.node, terms.met[here + place] = one.reading.met;
            terms.number_met[here + place] = one.reading.number_met, terms.begun[here + place] = one.begun;
        }
        settle(now, penalty, hopes);
    }

    void keep_lost(const std::vector<Ranked> &line, const std::vector<double> &lost, const std::vector<int64_t> &lost_banks) const {
        int64_t place = sentence * size;
        std::fill(terms.lost + place, terms.lost + place + size, NEVER);
        deal(line, [&](const Ranked &one, bool has_share) {
            if (!one.lost || !has_share) return;
            terms.lost[place] = lost[one.index], terms.lost_banks[place] = lost_banks[one.index];
            ++place;
        });
    }
};

void select_with_terms(const Selection &task, const Terms &terms) {
    for_sentences(task, [&](int64_t sentence) { SentenceWithTerms(task, terms, sentence).select(); });
}

} // namespace

extern "C" int64_t constrained_select(const Selection *task, const Terms *terms) {
    return told([&] {
        select_with_terms(*task, *terms);
        return 0;
    });
}
