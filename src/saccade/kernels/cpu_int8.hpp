// Products of rows of bytes, where a CPU multiplies and adds four of them at once: ARM's sdot, which is asked for when the
// library is loaded. What is computed is said by int8_product.py.
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
#endif

namespace {

// Levels of a row are filled up with zeros to a multiple of this.
constexpr int64_t LEVELS_AT_ONCE = 8;

int64_t filled(int64_t inner) { return (inner + LEVELS_AT_ONCE - 1) / LEVELS_AT_ONCE * LEVELS_AT_ONCE; }

// One byte for each number, and what a level stands for. A row with a number that is not finite has no levels: what comes
// of it is not a number either.
float divide_into_levels(const float *row, int64_t inner, int8_t *levels) {
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
        std::memset(levels, 0, filled(inner));
        return NAN;
    }
    // So large a number has no digits after the point, and the last byte of its bits is the level.
    const float inverse = highest > 0 ? 127 / highest : 1, large = 12582912;
    for (int64_t place = 0; place < inner; ++place) {
        float near = __builtin_fmaf(row[place], inverse, large);
        int32_t level;
        std::memcpy(&level, &near, sizeof level);
        levels[place] = static_cast<int8_t>(level);
    }
    for (int64_t place = inner; place < filled(inner); ++place) levels[place] = 0;
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
template <int ROWS> DOT INLINE void levels_tile(const Product &task, int64_t row, int64_t panel) {
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

DOT void levels_panels(const Product &task, int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) {
        int64_t row = 0;
        for (; row + 4 <= task.rows; row += 4) levels_tile<4>(task, row, panel);
        switch (task.rows - row) {
        case 3: levels_tile<3>(task, row, panel); break;
        case 2: levels_tile<2>(task, row, panel); break;
        case 1: levels_tile<1>(task, row, panel); break;
        }
    }
}

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
#else
void levels_panels(const Product &, int64_t, int64_t) {}
bool multiplies_levels() { return false; }
#endif

} // namespace

// Whether this CPU has what products of bytes need.
extern "C" int64_t has_int8() { return multiplies_levels(); }
