// The parameters of a Transformer on a CPU, and what its encoder and its decoder have in common.

#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

#include "cpu_calls.hpp"
#include "cpu_threads.hpp"

// Whoever calls lays these out in memory as they stand here: transformer_cpu.py.
extern "C" {
struct Matrix {
    const float *panels; // [outer / PANEL, inner, PANEL], the last panel filled up with zeros; or null
    const float *bias;   // or null; filled up with zeros as well
    int64_t inner, outer;
    const int8_t *bytes;  // the panels once more, as bytes of which each times the scale of its row is the float; or null
    const int8_t *levels; // [outer / PANEL, inner / 4, PANEL, 4], filled up with zeros, or null: cpu_int8.hpp
    const float *scales;  // what a byte or a level of each row stands for, as many as the panels have rows
    const int32_t *begins; // what the sums of levels of each row begin with, or null as these: cpu_int8.hpp
};
struct Norm {
    const float *gain, *shift; // null: there is no norm
    double epsilon;
};
struct Layer {
    Norm self_norm, cross_norm, inner_norm;
    Matrix project, self_output, inner, outer;
    Matrix source, query, cross_output; // a decoder's; source: keys and values side by side
};
struct Stack {
    const Layer *layers;
    int64_t layer_count, width, heads, key_width, value_width;
    int64_t activation, norm_first, residual;
    const float *embedding;
    double embedding_scale;
    int64_t zero_token; // the token whose vector counts as zero, or -1
    Norm end;
    Matrix output; // of a decoder
};
}

namespace {

constexpr int PANEL = 16, LANES = 16, BLOCK = 64, SHORT = 6;
enum Activation { NONE, RELU, SILU, GELU, QUICK_GELU };

#define INLINE inline __attribute__((always_inline))

struct Product {
    const float *states; // [rows, inner]
    const Matrix *matrix;
    float *result; // [rows, outer]
    int64_t rows;
    int64_t activation;
    bool add; // to what the result holds already
    const int8_t *levels; // of the states, where the matrix has them
    const float *scales;  // [rows]
};

// One query and what it can look at.
struct Look {
    const float *query, *keys, *values;
    int64_t key_stride, value_stride, key_width, value_width;
};

// What is compiled for each kind of CPU.
struct Arithmetic {
    bool reads_bytes;
    void (*panels)(const Product &task, int64_t begin, int64_t end);
    void (*normalise)(const float *states, float *result, const Norm &norm, int64_t width);
    void (*attend)(const Look &look, const int32_t *places, int64_t count, float *weights, float *result);
    float (*block_maxima)(const float *logits, int64_t count, float *maxima);
    float (*normaliser)(const float *logits, int64_t count, float highest);
};

#if defined(__aarch64__)
uint64_t four_of(const int8_t *bytes) {
    uint32_t four;
    std::memcpy(&four, bytes, sizeof four);
    return four;
}
#endif

// A product is fused with its sum by name wherever a CPU can: gcc decides by the number of sums whether it fuses them, and
// the bits of a row would depend on how many rows are computed with it.
namespace any_cpu {
constexpr int BYTES = 16, TALL = 5, PANELS = 1, BYTES_BELOW = 0; // on ARM bytes were not measured
#define CPU
#if defined(__aarch64__)
#define SPREAD(state) vdupq_n_f32(state)
#define WIDENED(bytes) vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8(four_of(bytes))))))
#define FUSED(columns, state, sum) vfmaq_f32(sum, columns, state)
#else
#define SPREAD(state) (Vector{} + (state))
#define WIDENED(bytes) (Vector{float((bytes)[0]), float((bytes)[1]), float((bytes)[2]), float((bytes)[3])})
#define FUSED(columns, state, sum) ((sum) + (columns) * (state))
#endif
#include "cpu_arithmetic.hpp"
#undef FUSED
#undef WIDENED
#undef SPREAD
#undef CPU
} // namespace any_cpu
#if defined(__x86_64__)
namespace avx2 {
constexpr int BYTES = 32, TALL = 6, PANELS = 1, BYTES_BELOW = TALL;
#define CPU __attribute__((target("avx2,fma")))
#define SPREAD(state) _mm256_set1_ps(state)
#define WIDENED(bytes) _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(bytes))))
#define FUSED(columns, state, sum) _mm256_fmadd_ps(columns, state, sum)
#include "cpu_arithmetic.hpp"
#undef FUSED
#undef WIDENED
#undef SPREAD
#undef CPU
} // namespace avx2
namespace avx512 {
// With one panel, a state would be loaded for every product, and loading is no faster than multiplying.
constexpr int BYTES = 64, TALL = 12, PANELS = 2, BYTES_BELOW = TALL;
#define CPU __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))
#define SPREAD(state) _mm512_set1_ps(state)
#define WIDENED(bytes) _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes))))
#define FUSED(columns, state, sum) _mm512_fmadd_ps(columns, state, sum)
#include "cpu_arithmetic.hpp"
#undef FUSED
#undef WIDENED
#undef SPREAD
#undef CPU
} // namespace avx512
#endif

Arithmetic of_this_cpu() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
        return avx512::arithmetic;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::arithmetic;
#endif
    return any_cpu::arithmetic;
}
const Arithmetic arithmetic = of_this_cpu();

} // namespace

// Whether weights that are bytes are worth having as bytes, too.
extern "C" int64_t reads_bytes() { return arithmetic.reads_bytes; }

#include "cpu_int8.hpp"

namespace {

// Memory that stays with a thread from step to step: asking for it anew would cost time in every step.
float *scratch(int which, int64_t count) {
    static thread_local std::vector<float> kept[6];
    if (static_cast<int64_t>(kept[which].size()) < count) kept[which].resize(count);
    return kept[which].data();
}

// How many threads are worth their waking: one more for each two million multiplications, a tenth of a millisecond.
int useful(int64_t threads, int64_t multiplications) {
    int64_t most = 1 + multiplications / 2000000;
    return static_cast<int>(threads < most ? threads : most);
}

int64_t weights_of(const Stack &stack) {
    int64_t weights = stack.output.inner * stack.output.outer;
    for (int64_t number = 0; number < stack.layer_count; ++number) {
        const Layer &layer = stack.layers[number];
        for (const Matrix *matrix : {&layer.project, &layer.self_output, &layer.inner, &layer.outer, &layer.query,
                                     &layer.cross_output})
            weights += matrix->inner * matrix->outer;
    }
    return weights;
}

// Rows on their way through the layers.
struct Rows {
    const Stack &stack;
    Threads::Team team;
    int64_t rows, keys_wide, values_wide, joint; // joint: queries, keys and values side by side
    float *states, *normal, *context, *wide;

    Rows(const Stack &stack, int64_t rows, int64_t threads)
        : stack(stack), team(Threads::all(), useful(threads, rows * weights_of(stack))), rows(rows),
          keys_wide(stack.heads * stack.key_width), values_wide(stack.heads * stack.value_width), joint(2 * keys_wide + values_wide),
          states(scratch(0, rows * stack.width)), normal(scratch(1, rows * stack.width)),
          context(scratch(2, rows * values_wide)) {
        int64_t inner = stack.layers[0].inner.outer;
        wide = scratch(3, rows * (inner > joint ? inner : joint));
    }

    void embed(int64_t row, int64_t token, const float *position) {
        const float *vector = stack.embedding + token * stack.width;
        float scale = token == stack.zero_token ? 0 : static_cast<float>(stack.embedding_scale);
        for (int64_t place = 0; place < stack.width; ++place)
            states[row * stack.width + place] = vector[place] * scale + position[place];
    }

    void product(const float *from, const Matrix &matrix, float *to, int64_t activation = NONE, bool add = false) {
        Product task{from, &matrix, to, rows, activation, add, nullptr, nullptr};
        auto panels = arithmetic.panels;
        if (matrix.levels) {
            divide(task);
            panels = levels_panels;
        }
        team.share((matrix.outer + PANEL - 1) / PANEL, 1, [&](int64_t first, int64_t last) { panels(task, first, last); });
    }

    void divide(Product &task) {
        const int64_t inner = task.matrix->inner, each = filled(inner);
        // Rows may be multiplied many at a time: there is room for all of them where the last ones are fewer.
        const int64_t room = (rows + TILED_ROWS - 1) / TILED_ROWS * TILED_ROWS;
        int8_t *levels = reinterpret_cast<int8_t *>(scratch(4, room * each / sizeof(float)));
        float *scales = scratch(5, rows);
        team.share(rows, 16, [&](int64_t first, int64_t last) {
            for (int64_t row = first; row < last; ++row)
                scales[row] = divide_into_levels(task.states + row * inner, inner, levels + row * each);
        });
        task.levels = levels, task.scales = scales;
    }

    void normalised(const float *from, float *to, const Norm &norm) {
        team.share(rows, 16, [&](int64_t first, int64_t last) {
            for (int64_t row = first; row < last; ++row)
                arithmetic.normalise(from + row * stack.width, to + row * stack.width, norm, stack.width);
        });
    }

    // What a sub-layer reads, and the end of its residual connection: layers/residual.py.
    const float *before(const Norm &norm) {
        if (!stack.norm_first) return states;
        normalised(states, normal, norm);
        return normal;
    }
    void after(const float *from, const Matrix &matrix, const Norm &norm) {
        product(from, matrix, states, NONE, stack.residual);
        if (!stack.norm_first && norm.gain) normalised(states, states, norm);
    }
    void feedforward(const Layer &layer) {
        product(before(layer.inner_norm), layer.inner, wide, stack.activation);
        after(wide, layer.outer, layer.inner_norm);
    }
    void end() {
        if (stack.end.gain) normalised(states, states, stack.end);
    }

    // attend(row, head, query, weights, result) for every row and head; queries lie `query_stride` apart in `wide`, and
    // there is room for `most` weights.
    template <class Attend> void attention(int64_t query_stride, int64_t most, const Attend &attend) {
        team.share(rows * stack.heads, 1, [&](int64_t first, int64_t last) {
            std::vector<float> weights(most);
            for (int64_t number = first; number < last; ++number) {
                int64_t row = number / stack.heads, head = number % stack.heads;
                attend(row, head, wide + row * query_stride + head * stack.key_width, weights.data(),
                       context + row * values_wide + head * stack.value_width);
            }
        });
    }
};

} // namespace
