// Products of rows of bytes, where a CPU multiplies and adds four of them at once: ARM's sdot and x86's vpdpbusd (AVX-512
// VNNI), which are asked for when the library is loaded. What is computed is said by int8_product.py.
//
// The sums are whole numbers: no order changes them. A row is divided into levels by its own largest number, so that its
// result depends on that row alone.

#pragma once

#if defined(__aarch64__)
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif
#if defined(__clang__)
#define DOT __attribute__((target("dotprod")))
#else
#define DOT __attribute__((target("arch=armv8.2-a+dotprod")))
#endif
#elif defined(__x86_64__)
#include <immintrin.h>
#define DOT __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,fma")))
#else
#define DOT
#endif

namespace {

// Levels of a row are filled up with zeros to a multiple of this.
constexpr int64_t LEVELS_AT_ONCE = 8;

// The byte that stands for level 0 of a state. x86 multiplies bytes without a sign by bytes with one, so there 128 is added
// to every level of a state, and the sums begin with what this adds to them, taken away.
#if defined(__x86_64__)
constexpr uint8_t LEVEL_0 = 128;
#else
constexpr uint8_t LEVEL_0 = 0;
#endif

int64_t filled(int64_t inner) { return (inner + LEVELS_AT_ONCE - 1) / LEVELS_AT_ONCE * LEVELS_AT_ONCE; }

// One byte for each number, and what a level stands for. A row with a number that is not finite has no levels: what comes
// of it is not a number either.
DOT float divide_into_levels(const float *row, int64_t inner, int8_t *levels) {
    // Without their sign, floats are in the order of their bits, and NaN is above all others.
    int32_t bits = 0;
    for (int64_t place = 0; place < inner; ++place) {
        int32_t own;
        std::memcpy(&own, row + place, sizeof own);
        own &= 0x7fffffff;
        bits = own > bits ? own : bits;
    }
    float highest;
    std::memcpy(&highest, &bits, sizeof highest);
    if (!std::isfinite(highest)) {
        std::memset(levels, LEVEL_0, filled(inner));
        return NAN;
    }
    // So large a number has no digits after the point, and the last byte of its bits is the level.
    const float inverse = highest > 0 ? 127 / highest : 1, large = 12582912;
    for (int64_t place = 0; place < inner; ++place) {
        float near = __builtin_fmaf(row[place], inverse, large);
        int32_t level;
        std::memcpy(&level, &near, sizeof level);
        levels[place] = static_cast<int8_t>(level ^ LEVEL_0);
    }
    for (int64_t place = inner; place < filled(inner); ++place) levels[place] = static_cast<int8_t>(LEVEL_0);
    return highest > 0 ? highest / 127 : 1;
}

#if defined(__aarch64__)
// Four places of ROWS rows times one panel: those of the first or the second half of what is held.
template <int HALF, int ROWS, int COUNT>
DOT INLINE void add_places(int32x4_t (&sums)[ROWS][COUNT], const int8_t *weights, const int8x8_t (&held)[ROWS]) {
    int8x16_t columns[COUNT];
#pragma GCC unroll 16
    for (int part = 0; part < COUNT; ++part) columns[part] = vld1q_s8(weights + 16 * part);
    __builtin_prefetch(weights + 2048);
#pragma GCC unroll 16
    for (int each = 0; each < ROWS; ++each)
#pragma GCC unroll 16
        for (int part = 0; part < COUNT; ++part)
            sums[each][part] = vdotq_lane_s32(sums[each][part], columns[part], held[each], HALF);
}

// ROWS rows times one panel.
template <int ROWS, int WIDE> DOT INLINE void levels_tile(const Product &task, int64_t row, int64_t panel) {
    static_assert(WIDE == 1, "places are added to one panel");
    constexpr int COUNT = PANEL / 4;
    const Matrix &matrix = *task.matrix;
    const int64_t inner = filled(matrix.inner), first = panel * PANEL;
    const int8_t *weights = matrix.levels + first * inner, *states = task.levels + row * inner;
    int32x4_t sums[ROWS][COUNT] = {};
    for (int64_t place = 0; place < inner; place += LEVELS_AT_ONCE, weights += LEVELS_AT_ONCE * PANEL) {
        int8x8_t held[ROWS];
#pragma GCC unroll 16
        for (int each = 0; each < ROWS; ++each) held[each] = vld1_s8(states + each * inner + place);
        add_places<0>(sums, weights, held);
        add_places<1>(sums, weights + 4 * PANEL, held);
    }
    // What `finish` does, without leaving the registers for it where that can be: 8 % of the time of a short sum. A product
    // and a sum are one operation where that is written, and nowhere else: a compiler that joined them for some numbers of
    // rows only would let a row depend on the others.
    const bool whole = first + PANEL <= matrix.outer && task.activation <= RELU;
    const float32x4_t least = vdupq_n_f32(task.activation == RELU ? 0 : -INFINITY);
    float found[ROWS][PANEL];
#pragma GCC unroll 16
    for (int part = 0; part < COUNT; ++part) {
        const float32x4_t scales = vld1q_f32(matrix.scales + first + 4 * part);
        const float32x4_t bias = matrix.bias ? vld1q_f32(matrix.bias + first + 4 * part) : vdupq_n_f32(0);
#pragma GCC unroll 16
        for (int each = 0; each < ROWS; ++each) {
            float *result = whole ? task.result + (row + each) * matrix.outer + first : found[each];
            float32x4_t own = vmulq_n_f32(scales, task.scales[row + each]);
            float32x4_t value = vmaxq_f32(vfmaq_f32(bias, vcvtq_f32_s32(sums[each][part]), own), least);
            if (whole && task.add) value = vaddq_f32(value, vld1q_f32(result + 4 * part));
            vst1q_f32(result + 4 * part, value);
        }
    }
    const int count = static_cast<int>(matrix.outer - first < PANEL ? matrix.outer - first : PANEL);
    for (int each = 0; each < ROWS && !whole; ++each) any_cpu::finish(task, found[each], row + each, first, count);
}

// How many rows of sums fit into all registers, with what they are made of.
constexpr int LEVELS_TALL = 4, LEVELS_PANELS = 1;

bool multiplies_levels() {
#if defined(__linux__)
    return getauxval(AT_HWCAP) & 1UL << 20; // ASIMDDP
#elif defined(__APPLE__)
    int has = 0;
    size_t size = sizeof has;
    return sysctlbyname("hw.optional.arm.FEAT_DotProd", &has, &size, nullptr, 0) == 0 && has;
#else
    return false;
#endif
}
#elif defined(__x86_64__)
// Products of four bytes at each of sixteen places, added. The instruction is named, as gcc otherwise copies the sums around.
DOT INLINE void add_products(__m512i &sums, __m512i states, __m512i weights) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(states), "v"(weights));
}

// What becomes of the sums of one panel: what `finish` does, as above. A maximum with something that is not a number is its
// second operand.
struct LevelsEnd {
    const Product &task;
    const int64_t first;
    const int count;
    const bool whole;
    __m512 scales, bias, least;

    DOT INLINE LevelsEnd(const Product &task, int64_t panel)
        : task(task), first(panel * PANEL),
          count(static_cast<int>(task.matrix->outer - first < PANEL ? task.matrix->outer - first : PANEL)),
          whole(count == PANEL && task.activation <= RELU), scales(_mm512_loadu_ps(task.matrix->scales + first)),
          bias(task.matrix->bias ? _mm512_loadu_ps(task.matrix->bias + first) : _mm512_setzero_ps()),
          least(_mm512_set1_ps(task.activation == RELU ? 0 : -INFINITY)) {}

    DOT INLINE void finish(__m512i sums, int64_t row) const {
        float found[PANEL], *result = whole ? task.result + row * task.matrix->outer + first : found;
        const __m512 own = _mm512_mul_ps(scales, _mm512_set1_ps(task.scales[row]));
        __m512 value = _mm512_max_ps(least, _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), own, bias));
        if (whole && task.add) value = _mm512_add_ps(value, _mm512_loadu_ps(result));
        _mm512_storeu_ps(result, value);
        if (!whole) any_cpu::finish(task, found, row, first, count);
    }
};

// ROWS rows times WIDE panels.
template <int ROWS, int WIDE> DOT INLINE void levels_tile(const Product &task, int64_t row, int64_t panel) {
    static_assert(PANEL == 16, "a panel is one register wide");
    const Matrix &matrix = *task.matrix;
    const int64_t inner = filled(matrix.inner), first = panel * PANEL;
    const int8_t *weights = matrix.levels + first * inner, *states = task.levels + row * inner;
    __m512i sums[ROWS][WIDE];
#pragma GCC unroll 16
    for (int each = 0; each < ROWS; ++each)
#pragma GCC unroll 16
        for (int wide = 0; wide < WIDE; ++wide) sums[each][wide] = _mm512_loadu_si512(matrix.begins + first + wide * PANEL);
    for (int64_t place = 0; place < inner; place += 4, weights += 4 * PANEL) {
        __m512i columns[WIDE];
#pragma GCC unroll 16
        for (int wide = 0; wide < WIDE; ++wide) {
            columns[wide] = _mm512_loadu_si512(weights + wide * inner * PANEL);
            __builtin_prefetch(weights + (WIDE + wide) * inner * PANEL); // what comes after these panels
        }
#pragma GCC unroll 16
        for (int each = 0; each < ROWS; ++each) {
            int32_t four;
            std::memcpy(&four, states + each * inner + place, sizeof four);
            const __m512i state = _mm512_set1_epi32(four);
#pragma GCC unroll 16
            for (int wide = 0; wide < WIDE; ++wide) add_products(sums[each][wide], state, columns[wide]);
        }
    }
#pragma GCC unroll 16
    for (int wide = 0; wide < WIDE; ++wide) {
        const LevelsEnd end(task, panel + wide);
#pragma GCC unroll 16
        for (int each = 0; each < ROWS; ++each) end.finish(sums[each][wide], row + each);
    }
}

constexpr int LEVELS_TALL = 12, LEVELS_PANELS = 2;

bool multiplies_levels() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("fma");
}
#else
template <int ROWS, int WIDE> void levels_tile(const Product &, int64_t, int64_t) {}
constexpr int LEVELS_TALL = 1, LEVELS_PANELS = 1;
bool multiplies_levels() { return false; }
#endif

// The rows that are left, fewer than ROWS, as `rest` has them for floats.
template <int ROWS, int WIDE> DOT INLINE void levels_rest(const Product &task, int64_t row, int64_t panel) {
    if constexpr (ROWS > SHORT + 1) {
        if (task.rows - row >= SHORT) {
            levels_tile<SHORT, WIDE>(task, row, panel);
            row += SHORT;
        }
        levels_rest<SHORT, WIDE>(task, row, panel);
    } else if constexpr (ROWS > 1) {
        if (task.rows - row == ROWS - 1)
            levels_tile<ROWS - 1, WIDE>(task, row, panel);
        else
            levels_rest<ROWS - 1, WIDE>(task, row, panel);
    }
}

template <int WIDE> DOT INLINE void levels_of_all_rows(const Product &task, int64_t panel) {
    int64_t row = 0;
    for (; row + LEVELS_TALL <= task.rows; row += LEVELS_TALL) levels_tile<LEVELS_TALL, WIDE>(task, row, panel);
    levels_rest<LEVELS_TALL, WIDE>(task, row, panel);
}

} // namespace

#include "cpu_tiles.hpp"

namespace {

DOT void levels_panels(const Product &task, int64_t begin, int64_t end) {
    if (tiles_help(task)) {
        tiles_of_panels(task, begin, end);
        return;
    }
    int64_t panel = begin;
    for (; panel + LEVELS_PANELS <= end; panel += LEVELS_PANELS) levels_of_all_rows<LEVELS_PANELS>(task, panel);
    if constexpr (LEVELS_PANELS > 1)
        for (; panel < end; ++panel) levels_of_all_rows<1>(task, panel);
}

} // namespace

// Whether this CPU has what products of bytes need.
extern "C" int64_t has_int8() { return multiplies_levels(); }

// The byte of a state that stands for nothing, by which its other bytes are larger than its levels.
extern "C" int64_t level_0() { return LEVEL_0; }
