// Products of rows of bytes by Intel's AMX, where a CPU has it: sixteen rows times a panel, 64 places at once.
//
// The same whole numbers as in cpu_int8.hpp, and so the same results to the last bit. With few rows most of a tile would be
// empty, and a product is as fast as its weights arrive anyway.

#pragma once

#if defined(__x86_64__) && defined(__linux__) && (defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#define TILES __attribute__((target("amx-tile,amx-int8,avx512f,avx512bw,avx512vl,avx512vnni,fma")))

namespace {

constexpr int64_t TALL_TILE = 16, TILED_ROWS = 2 * TALL_TILE, PLACES = 64, TILES_FROM = 6;

// Linux gives the large registers to a process that asks for them.
bool may_use_tiles() {
    unsigned a, b, c, d;
    if (!multiplies_levels() || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    const bool tile = d & 1U << 24, int8 = d & 1U << 25;
    constexpr long ASK = 0x1023, TILE_DATA = 18;
    return tile && int8 && syscall(SYS_arch_prctl, ASK, TILE_DATA) == 0;
}

bool tiles_help(const Product &task) {
    static const bool may = may_use_tiles();
    return may && task.rows >= TILES_FROM && task.matrix->inner % PLACES == 0;
}

// The shapes of all registers, as the CPU wants to be told: each has sixteen rows of 64 bytes.
struct alignas(64) TileShapes {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {};
    uint8_t rows[16] = {};

    TileShapes() {
        for (int each = 0; each < 8; ++each) row_bytes[each] = PLACES, rows[each] = TALL_TILE;
    }
};

// Up to 32 rows times one or two panels. Rows after the last are whatever lies there, and nothing is made of them.
template <bool MORE_ROWS, bool MORE_PANELS> TILES INLINE void tiles(const Product &task, int64_t row, int64_t panel) {
    const Matrix &matrix = *task.matrix;
    const int64_t inner = matrix.inner;
    const int8_t *states = task.levels + row * inner, *weights = matrix.levels + panel * PANEL * inner;
    const int32_t *begins = matrix.begins + panel * PANEL;
    _tile_loadd(0, begins, 0);
    if constexpr (MORE_PANELS) _tile_loadd(1, begins + PANEL, 0);
    if constexpr (MORE_ROWS) _tile_loadd(2, begins, 0);
    if constexpr (MORE_ROWS && MORE_PANELS) _tile_loadd(3, begins + PANEL, 0);
    for (int64_t place = 0; place < inner; place += PLACES) {
        _tile_loadd(4, states + place, inner);
        _tile_loadd(6, weights + place * PANEL, PLACES);
        _tile_dpbusd(0, 4, 6);
        if constexpr (MORE_PANELS) {
            _tile_loadd(7, weights + (inner + place) * PANEL, PLACES);
            _tile_dpbusd(1, 4, 7);
        }
        if constexpr (MORE_ROWS) {
            _tile_loadd(5, states + TALL_TILE * inner + place, inner);
            _tile_dpbusd(2, 5, 6);
            if constexpr (MORE_PANELS) _tile_dpbusd(3, 5, 7);
        }
    }
    alignas(64) int32_t sums[4][TALL_TILE][PANEL];
    _tile_stored(0, sums[0], PLACES);
    if constexpr (MORE_PANELS) _tile_stored(1, sums[1], PLACES);
    if constexpr (MORE_ROWS) _tile_stored(2, sums[2], PLACES);
    if constexpr (MORE_ROWS && MORE_PANELS) _tile_stored(3, sums[3], PLACES);
    for (int wide = 0; wide <= MORE_PANELS; ++wide) {
        const LevelsEnd end(task, panel + wide);
        for (int64_t each = 0; each < (MORE_ROWS ? TILED_ROWS : TALL_TILE) && row + each < task.rows; ++each)
            end.finish(_mm512_load_si512(sums[each / TALL_TILE * 2 + wide][each % TALL_TILE]), row + each);
    }
}

template <bool MORE_PANELS> TILES INLINE void tiles_of_all_rows(const Product &task, int64_t panel) {
    for (int64_t row = 0; row < task.rows; row += TILED_ROWS)
        if (row + TALL_TILE < task.rows)
            tiles<true, MORE_PANELS>(task, row, panel);
        else
            tiles<false, MORE_PANELS>(task, row, panel);
}

TILES void tiles_of_panels(const Product &task, int64_t begin, int64_t end) {
    const TileShapes shapes;
    // Some gcc take the instruction for one that reads eight bytes, and need not write the others for it.
    __asm__ volatile("" : : "m"(shapes));
    _tile_loadconfig(&shapes);
    int64_t panel = begin;
    for (; panel + 2 <= end; panel += 2) tiles_of_all_rows<true>(task, panel);
    if (panel < end) tiles_of_all_rows<false>(task, panel);
    _tile_release();
}

} // namespace
#else
namespace {

constexpr int64_t TILED_ROWS = 1;
bool tiles_help(const Product &) { return false; }
void tiles_of_panels(const Product &, int64_t, int64_t) {}

} // namespace
#endif
