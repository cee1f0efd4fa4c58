// Attention within the sentences of a packed row: one sentence and head at a time, all its matrices in the cache.

#pragma once

#include "cpu_layers.hpp"

// Whoever calls lays these out in memory as they stand here: varlen_attention_cpu.py.
extern "C" {
// A vector of so many numbers for each slot and head; what lies between two of each, in numbers.
struct HeadVectors {
    float *values;
    int64_t slot, head, width;
};
struct PackedAttention {
    const int64_t *query_offsets, *key_offsets; // sentence i begins at offsets[i] and ends at offsets[i + 1]
    int64_t sentences, heads, causal, window;   // window: -1 where there is none
    HeadVectors query, key, value, context;     // backward, context is its gradient
    HeadVectors query_gradient, key_gradient, value_gradient;
    float *weights;    // [sentence][heads, queries, in_lanes(keys)], or null where nobody will need them
    const float *mask; // as the weights, ones and zeros; or null
    double factor;     // of the weights that the mask leaves
    int64_t threads;
};
}

namespace {

struct PackedSentence {
    int64_t first_query, queries, first_key, keys, weights; // weights: where its own begin
};

using Within = void (*)(const PackedAttention &, const PackedSentence &, int64_t head, float *room);

namespace any_cpu {
#define CPU
#include "varlen_attention_arithmetic.hpp"
#undef CPU
} // namespace any_cpu
#if defined(__x86_64__)
namespace avx2 {
#define CPU __attribute__((target("avx2,fma")))
#include "varlen_attention_arithmetic.hpp"
#undef CPU
} // namespace avx2
#endif

Within of_this_cpu(bool backward) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return backward ? avx2::attend_within_backward : avx2::attend_within;
#endif
    return backward ? any_cpu::attend_within_backward : any_cpu::attend_within;
}

// What one sentence and head need besides their weights, in numbers.
int64_t room_for(const PackedAttention &task, const PackedSentence &sentence) {
    int64_t longer = sentence.queries > sentence.keys ? sentence.queries : sentence.keys;
    int64_t widest = task.query.width > task.value.width ? task.query.width : task.value.width;
    int64_t wide = any_cpu::in_lanes(longer);
    return 6 * wide * any_cpu::in_lanes(widest) + 3 * wide * wide;
}

void in_every_sentence(const PackedAttention &task, Within within) {
    std::vector<PackedSentence> sentences;
    int64_t weights = 0, most = 0, multiplications = 0;
    for (int64_t number = 0; number < task.sentences; ++number) {
        PackedSentence sentence{task.query_offsets[number], task.query_offsets[number + 1] - task.query_offsets[number],
                          task.key_offsets[number], task.key_offsets[number + 1] - task.key_offsets[number], weights};
        int64_t scores = task.heads * sentence.queries * any_cpu::in_lanes(sentence.keys);
        weights += scores;
        multiplications += scores * (task.query.width + task.value.width);
        int64_t room = room_for(task, sentence);
        if (room > most) most = room;
        sentences.push_back(sentence);
    }
    Threads::Team team(Threads::all(), useful(task.threads, multiplications));
    team.share(task.sentences * task.heads, 1, [&](int64_t first, int64_t last) {
        std::vector<float> room(most);
        for (int64_t number = first; number < last; ++number)
            within(task, sentences[number / task.heads], number % task.heads, room.data());
    });
}

} // namespace

extern "C" {
int64_t packed_attention(const PackedAttention *task) {
    return told([&] {
        in_every_sentence(*task, of_this_cpu(false));
        return 0;
    });
}

int64_t packed_attention_backward(const PackedAttention *task) {
    return told([&] {
        in_every_sentence(*task, of_this_cpu(true));
        return 0;
    });
}
}
