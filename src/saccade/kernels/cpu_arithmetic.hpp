// The arithmetic of a search, which cpu_layers.hpp includes once for each kind of CPU, each time in a namespace of its
// own: CPU is an attribute that names the instructions, BYTES the size of a register, TALL how many rows of sums fit into
// all registers, with PANELS panels side by side. With fewer than BYTES_BELOW rows, weights that are stored as bytes are read
// as bytes. SPREAD(state) is a register full of one number, WIDENED(bytes) one of numbers that were bytes, and
// FUSED(columns, state, sum) the sum of a product and a sum. Every function has the attribute: vectors that a function's own
// instructions cannot hold would be taken apart into smaller ones before it could be inlined.
//
// Sums are made in LANES parts, a fixed order that a compiler turns into vector instructions.

// Some floats in one register, and the same at any address.
typedef float Vector __attribute__((vector_size(BYTES)));
typedef float Anywhere __attribute__((vector_size(BYTES), aligned(4), may_alias));

CPU INLINE float activated(float value, int64_t activation) {
    switch (activation) {
    case SILU: return value / (1 + std::exp(-value));
    case GELU: return value * 0.5f * (1 + std::erf(value * 0.70710678f));
    case QUICK_GELU: return value / (1 + std::exp(-1.702f * value));
    default: return value;
    }
}

// What becomes of the sums of one row and panel, with their bias. `count` is PANEL but for the last panel: loops of a known
// length are compiled to a few vector instructions.
CPU INLINE void finish(const Product &task, float *found, int64_t row, int64_t first, int count) {
    float *result = task.result + row * task.matrix->outer + first;
    if (task.activation == RELU)
        for (int column = 0; column < count; ++column) found[column] = found[column] < 0 ? 0 : found[column];
    else if (task.activation)
        for (int column = 0; column < count; ++column) found[column] = activated(found[column], task.activation);
    if (task.add)
        for (int column = 0; column < count; ++column) result[column] += found[column];
    else
        for (int column = 0; column < count; ++column) result[column] = found[column];
}

// Where a product finds the numbers of WIDE panels: as they are, or as bytes, which times the scales of their rows are the
// same numbers to the last bit.
template <int WIDE> struct Floats {
    static constexpr int EACH = PANEL * 4 / BYTES;
    const float *begin;
    const int64_t inner;

    CPU INLINE Floats(const Matrix &matrix, int64_t panel)
        : begin(matrix.panels + panel * PANEL * matrix.inner), inner(matrix.inner) {}
    CPU INLINE const float *at(int64_t place, int wide) const { return begin + (wide * inner + place) * PANEL; }
    // With few rows, a product is as fast as weights arrive: two kilobytes are on their way.
    CPU INLINE const float *ahead(int64_t place, int wide) const { return at(place, wide) + 32 * PANEL; }
    CPU INLINE Vector column(int64_t place, int part) const {
        return reinterpret_cast<const Anywhere *>(at(place, part / EACH))[part % EACH];
    }
};
template <int WIDE> struct Bytes {
    static constexpr int EACH = PANEL * 4 / BYTES;
    const int8_t *begin;
    const int64_t inner;
    Vector scales[WIDE * EACH];

    CPU INLINE Bytes(const Matrix &matrix, int64_t panel)
        : begin(matrix.bytes + panel * PANEL * matrix.inner), inner(matrix.inner) {
#pragma GCC unroll 16
        for (int part = 0; part < WIDE * EACH; ++part)
            scales[part] = reinterpret_cast<const Anywhere *>(matrix.scales + panel * PANEL)[part];
    }
    CPU INLINE const int8_t *at(int64_t place, int wide) const { return begin + (wide * inner + place) * PANEL; }
    CPU INLINE const int8_t *ahead(int64_t place, int wide) const { return at(place, WIDE + wide); }
    CPU INLINE Vector column(int64_t place, int part) const {
        return WIDENED(at(place, part / EACH) + part % EACH * (BYTES / 4)) * scales[part];
    }
};

#if defined(__aarch64__)
// One place of ROWS rows times one panel: the one at LANE of what is held of each row. The instruction is named, as gcc
// otherwise moves loads so far ahead of it that not all sums stay in registers: a twentieth of the time of a product.
template <int LANE, int ROWS, int COUNT, class Weights>
INLINE void add_place(Vector (&sums)[ROWS][COUNT], const Weights &weights, int64_t place, const Vector (&held)[ROWS]) {
    Vector columns[COUNT];
#pragma GCC unroll 16
    for (int part = 0; part < COUNT; ++part) columns[part] = weights.column(place + LANE, part);
    __builtin_prefetch(weights.ahead(place + LANE, 0));
#pragma GCC unroll 16
    for (int each = 0; each < ROWS; ++each)
#pragma GCC unroll 16
        for (int part = 0; part < COUNT; ++part)
            __asm__ volatile("fmla %0.4s, %1.4s, %2.s[%3]"
                             : "+w"(sums[each][part])
                             : "w"(columns[part]), "w"(held[each]), "i"(LANE));
}
#endif

// ROWS rows times WIDE panels. The sums stay in registers from the first weight to the last if all loops over them are
// unrolled.
template <int ROWS, int WIDE, template <int> class Weights>
CPU INLINE void tile(const Product &task, int64_t row, int64_t panel) {
    constexpr int EACH = PANEL * 4 / BYTES, COUNT = WIDE * EACH;
    const Matrix &matrix = *task.matrix;
    const int64_t inner = matrix.inner, first = panel * PANEL;
    const float *states = task.states + row * inner;
    const Weights<WIDE> weights(matrix, panel);
    Vector sums[ROWS][COUNT] = {};
    int64_t place = 0;
#if defined(__aarch64__)
    static_assert(WIDE == 1, "places are added to one panel");
    for (; place + 4 <= inner; place += 4) {
        Vector held[ROWS];
#pragma GCC unroll 16
        for (int each = 0; each < ROWS; ++each) held[each] = *reinterpret_cast<const Anywhere *>(states + each * inner + place);
        add_place<0>(sums, weights, place, held);
        add_place<1>(sums, weights, place, held);
        add_place<2>(sums, weights, place, held);
        add_place<3>(sums, weights, place, held);
    }
#endif
    for (; place < inner; ++place) {
        Vector columns[COUNT];
#pragma GCC unroll 16
        for (int part = 0; part < COUNT; ++part) columns[part] = weights.column(place, part);
#pragma GCC unroll 16
        for (int wide = 0; wide < WIDE; ++wide) __builtin_prefetch(weights.ahead(place, wide));
#pragma GCC unroll 16
        for (int each = 0; each < ROWS; ++each) {
            const Vector state = SPREAD(states[each * inner + place]);
#pragma GCC unroll 16
            for (int part = 0; part < COUNT; ++part) sums[each][part] = FUSED(columns[part], state, sums[each][part]);
        }
    }
    float found[ROWS][WIDE * PANEL];
#pragma GCC unroll 16
    for (int each = 0; each < ROWS; ++each)
#pragma GCC unroll 16
        for (int part = 0; part < COUNT; ++part) reinterpret_cast<Anywhere *>(found[each])[part] = sums[each][part];
    for (int each = 0; each < ROWS; ++each) {
        if (matrix.bias)
            for (int column = 0; column < WIDE * PANEL; ++column) found[each][column] += matrix.bias[first + column];
        for (int wide = 0; wide < WIDE; ++wide) {
            const int64_t here = first + wide * PANEL;
            if (here + PANEL <= matrix.outer)
                finish(task, found[each] + wide * PANEL, row + each, here, PANEL);
            else
                finish(task, found[each] + wide * PANEL, row + each, here, static_cast<int>(matrix.outer - here));
        }
    }
}

// The rows that are left, fewer than ROWS: at most SHORT are a tile of their own size, which is compiled for each.
template <int ROWS, int WIDE, template <int> class Weights>
CPU INLINE void rest(const Product &task, int64_t row, int64_t panel) {
    if constexpr (ROWS > SHORT + 1) {
        if (task.rows - row >= SHORT) {
            tile<SHORT, WIDE, Weights>(task, row, panel);
            row += SHORT;
        }
        rest<SHORT, WIDE, Weights>(task, row, panel);
    } else if constexpr (ROWS > 1) {
        if (task.rows - row == ROWS - 1)
            tile<ROWS - 1, WIDE, Weights>(task, row, panel);
        else
            rest<ROWS - 1, WIDE, Weights>(task, row, panel);
    }
}

// A byte costs three instructions more than a float; with few rows they are worth the wait that it saves.
template <int WIDE> CPU INLINE void all_rows(const Product &task, int64_t panel) {
    if (task.matrix->bytes && task.rows < BYTES_BELOW) {
        rest<TALL, WIDE, Bytes>(task, 0, panel);
        return;
    }
    int64_t row = 0;
    for (; row + TALL <= task.rows; row += TALL) tile<TALL, WIDE, Floats>(task, row, panel);
    rest<TALL, WIDE, Floats>(task, row, panel);
}

CPU void panels(const Product &task, int64_t begin, int64_t end) {
    int64_t panel = begin;
    for (; panel + PANELS <= end; panel += PANELS) all_rows<PANELS>(task, panel);
    if constexpr (PANELS > 1)
        for (; panel < end; ++panel) all_rows<1>(task, panel);
}

CPU INLINE float total(const float *lanes) {
    float eight[8], four[4];
    for (int lane = 0; lane < 8; ++lane) eight[lane] = lanes[lane] + lanes[lane + 8];
    for (int lane = 0; lane < 4; ++lane) four[lane] = eight[lane] + eight[lane + 4];
    return (four[0] + four[2]) + (four[1] + four[3]);
}

// The sum of value(place) for all places.
template <class Value> CPU INLINE float sum_of(int64_t width, const Value &value) {
    float lanes[LANES] = {};
    int64_t place = 0;
    for (; place + LANES <= width; place += LANES)
        for (int lane = 0; lane < LANES; ++lane) lanes[lane] += value(place + lane);
    for (int lane = 0; place < width; ++place, ++lane) lanes[lane] += value(place);
    return total(lanes);
}

CPU INLINE float larger(float left, float right) { return left > right ? left : right; }

CPU INLINE float highest_of(const float *values, int64_t count) {
    constexpr int COUNT = LANES * 4 / BYTES;
    Vector highest[COUNT];
#pragma GCC unroll 16
    for (int part = 0; part < COUNT; ++part) highest[part] = Vector{} - INFINITY;
    int64_t place = 0;
    for (; place + LANES <= count; place += LANES)
#pragma GCC unroll 16
        for (int part = 0; part < COUNT; ++part) {
            Vector next = reinterpret_cast<const Anywhere *>(values + place)[part];
            highest[part] = next > highest[part] ? next : highest[part];
        }
#pragma GCC unroll 16
    for (int part = 1; part < COUNT; ++part) highest[0] = highest[part] > highest[0] ? highest[part] : highest[0];
    float found = -INFINITY;
    for (int lane = 0; lane < BYTES / 4; ++lane) found = larger(highest[0][lane], found);
    for (; place < count; ++place) found = larger(values[place], found);
    return found;
}

// e^x for x <= 0, to two units in the last place: 2^n e^r with n whole and |r| <= log(2) / 2, e^r by its Taylor series.
CPU INLINE float exponential(float x) {
    float clipped = x < -87 ? -87 : x;
    float whole = (clipped * 1.44269504f + 12582912.0f) - 12582912.0f; // so large a number has no digits after the point
    float r = (clipped - whole * 0.693145752f) - whole * 1.42860677e-6f;
    float series = 1 + r * (1 + r * (0.5f + r * (1 / 6.0f + r * (1 / 24.0f + r * (1 / 120.0f + r * (1 / 720.0f))))));
    union {
        uint32_t bits;
        float power;
    } scale{static_cast<uint32_t>(static_cast<int32_t>(whole) + 127) << 23};
    return series * scale.power;
}

CPU void normalise(const float *states, float *result, const Norm &norm, int64_t width) {
    float mean = sum_of(width, [&](int64_t place) CPU { return states[place]; }) / width;
    float variance = sum_of(width, [&](int64_t place) CPU { return (states[place] - mean) * (states[place] - mean); }) / width;
    float scale = static_cast<float>(1 / std::sqrt(variance + norm.epsilon));
    for (int64_t place = 0; place < width; ++place)
        result[place] = (states[place] - mean) * scale * norm.gain[place] + norm.shift[place];
}

// Equation 1 for one query that sees `count` places.
CPU void attend(const Look &look, const int32_t *places, int64_t count, float *weights, float *result) {
    const float *query = look.query;
    float scale = 1 / std::sqrt(static_cast<float>(look.key_width));
    for (int64_t seen = 0; seen < count; ++seen) {
        const float *key = look.keys + places[seen] * look.key_stride;
        weights[seen] = sum_of(look.key_width, [&](int64_t place) CPU { return query[place] * key[place]; }) * scale;
    }
    float highest = highest_of(weights, count);
    for (int64_t seen = 0; seen < count; ++seen) weights[seen] = exponential(weights[seen] - highest);
    float share = 1 / sum_of(count, [&](int64_t seen) CPU { return weights[seen]; });
    for (int64_t column = 0; column < look.value_width; ++column) result[column] = 0;
    for (int64_t seen = 0; seen < count; ++seen) {
        const float *value = look.values + places[seen] * look.value_stride;
        float weight = weights[seen] * share;
        for (int64_t column = 0; column < look.value_width; ++column) result[column] += weight * value[column];
    }
}

// What is to be taken from logits, of which the highest is known, so that they are logarithms of probabilities.
CPU float normaliser(const float *logits, int64_t count, float highest) {
    return highest + std::log(sum_of(count, [&](int64_t place) CPU { return exponential(logits[place] - highest); }));
}

// The maximum of each BLOCK of logits, the last of which may be shorter; and of all of them.
CPU float block_maxima(const float *logits, int64_t count, float *maxima) {
    int64_t block = 0;
    for (; (block + 1) * BLOCK <= count; ++block) maxima[block] = highest_of(logits + block * BLOCK, BLOCK);
    if (block * BLOCK < count) maxima[block] = highest_of(logits + block * BLOCK, count - block * BLOCK), ++block;
    return highest_of(maxima, block);
}

constexpr Arithmetic arithmetic{BYTES_BELOW > 0, panels, normalise, attend, block_maxima, normaliser};
