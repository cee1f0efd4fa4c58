// Several steps of a beam search in one call: the model's step and the selection after it, in turn.
//
// The readable version is `take_steps` in decoding/beam_fast.py. In Python a step of a small model costs as much time around
// these two as in them.

#pragma once

#include "constrained_step_cpu.hpp"
#include "transformer_cpu.hpp"

// Whoever calls lays this out in memory as it stands here: beam_steps_cpu.py.
extern "C" {
struct Search {
    Step step;           // as for the first of these steps, but for its position and the places it writes
    Selection selection; // what is found has an axis of `most` steps in front, but for the parents
    const Terms *terms;  // or null
    const float *positions; // [most, width]
    float *ancestors;       // the step's, [sentences, size, places]
    int64_t places, position, window;
    int64_t most, enough; // over after so many steps, or with at most so many sentences left
};
}

namespace {

// Every hypothesis sees its own place at this position, and with a window no longer what is too far back:
// attention/cache.py.
void advance(const Search &search, int64_t position) {
    const int64_t size = search.step.size, far = position - search.window - 1;
    for (int64_t row = 0; row < search.step.sentences * size; ++row) {
        float *sees = search.ancestors + row * search.places;
        for (int64_t other = 0; other < size; ++other)
            sees[position * size + other] = other == row % size ? 0 : -INFINITY;
        if (search.window >= 0 && far >= 0)
            for (int64_t other = 0; other < size; ++other) sees[far * size + other] = -INFINITY;
    }
}

// Who continues a hypothesis has its ancestors.
void inherit(const Search &search, int64_t used) {
    const int64_t size = search.step.size;
    std::vector<float> before(size * used);
    for (int64_t sentence = 0; sentence < search.step.sentences; ++sentence) {
        float *own = search.ancestors + sentence * size * search.places;
        const int64_t *parents = search.selection.parents + sentence * size;
        for (int64_t each = 0; each < size; ++each)
            std::memcpy(before.data() + each * used, own + each * search.places, used * sizeof(float));
        for (int64_t each = 0; each < size; ++each)
            std::memcpy(own + each * search.places, before.data() + parents[each] * used, used * sizeof(float));
    }
}

// How many steps were taken.
int64_t take_steps(const Stack &decoder, const Search &search) {
    Step step = search.step;
    Selection selection = search.selection;
    const int64_t rows = step.sentences * step.size;
    for (int64_t taken = 0; taken < search.most;) {
        const int64_t position = search.position + taken;
        step.now = position * step.size, step.position = search.positions + taken * decoder.width;
        advance(search, position);
        decode(decoder, step);
        search.terms ? select_with_terms(selection, *search.terms) : select_candidates(selection);
        inherit(search, step.now + step.size);
        selection.names += 2 * rows, selection.scores += 2 * rows, selection.onward += rows, selection.margin += step.sentences;
        ++taken;
        int64_t left = 0;
        for (int64_t sentence = 0; sentence < step.sentences; ++sentence) left += !selection.done[sentence];
        if (left <= search.enough) return taken;
    }
    return search.most;
}

} // namespace

extern "C" int64_t beam_steps(const Stack *decoder, const Search *search) {
    return told([&] { return take_steps(*decoder, *search); });
}
