// Attention within one sentence and head, forward and backward, which varlen_attention_cpu.hpp includes once for each kind
// of CPU, after cpu_arithmetic.hpp.
//
// Matrices lie row after row, and their rows are filled up with zeros to a multiple of LANES: `in_lanes(columns)`.

CPU INLINE int64_t in_lanes(int64_t columns) { return (columns + LANES - 1) / LANES * LANES; }

// Numbers that stand `across` apart within a row, and `down` apart from one row to the next.
struct View {
    const float *first;
    int64_t down, across;
};

// ROWS rows and LANES columns of a product; the sums stay in registers.
template <int ROWS>
CPU INLINE void corner(const View &left, const float *right, int64_t wide, int64_t inner, float *result) {
    constexpr int COUNT = LANES * 4 / BYTES;
    Vector sums[ROWS][COUNT] = {};
    for (int64_t place = 0; place < inner; ++place) {
        Vector columns[COUNT];
#pragma GCC unroll 16
        for (int part = 0; part < COUNT; ++part) columns[part] = reinterpret_cast<const Anywhere *>(right + place * wide)[part];
#pragma GCC unroll 16
        for (int each = 0; each < ROWS; ++each)
#pragma GCC unroll 16
            for (int part = 0; part < COUNT; ++part)
                sums[each][part] += columns[part] * left.first[each * left.down + place * left.across];
    }
#pragma GCC unroll 16
    for (int each = 0; each < ROWS; ++each)
#pragma GCC unroll 16
        for (int part = 0; part < COUNT; ++part)
            reinterpret_cast<Anywhere *>(result + each * wide)[part] = sums[each][part];
}

// The rows that are left, fewer than ROWS.
template <int ROWS>
CPU INLINE void last_rows(int64_t rows, const View &left, const float *right, int64_t wide, int64_t inner, float *result) {
    if constexpr (ROWS > 1) {
        if (rows == ROWS - 1)
            corner<ROWS - 1>(left, right, wide, inner, result);
        else
            last_rows<ROWS - 1>(rows, left, right, wide, inner, result);
    }
}

// result [rows, wide] = left [rows, inner] right [inner, wide]
CPU void multiply(const View &left, const float *right, int64_t rows, int64_t inner, int64_t wide, float *result) {
    for (int64_t column = 0; column < wide; column += LANES) {
        int64_t row = 0;
        for (; row + TALL <= rows; row += TALL)
            corner<TALL>({left.first + row * left.down, left.down, left.across}, right + column, wide, inner,
                         result + row * wide + column);
        last_rows<TALL>(rows - row, {left.first + row * left.down, left.down, left.across}, right + column, wide, inner,
                        result + row * wide + column);
    }
}

// The vectors of one head, of the slots from `first` on, into rows of `in_lanes(width)`.
CPU INLINE void read_rows(const HeadVectors &from, int64_t head, int64_t first, int64_t rows, float *to) {
    const int64_t wide = in_lanes(from.width);
    for (int64_t row = 0; row < rows; ++row) {
        const float *vector = from.values + (first + row) * from.slot + head * from.head;
        for (int64_t place = 0; place < from.width; ++place) to[row * wide + place] = vector[place];
        for (int64_t place = from.width; place < wide; ++place) to[row * wide + place] = 0;
    }
}

CPU INLINE void write_rows(const float *from, const HeadVectors &to, int64_t head, int64_t first, int64_t rows) {
    const int64_t wide = in_lanes(to.width);
    for (int64_t row = 0; row < rows; ++row) {
        float *vector = to.values + (first + row) * to.slot + head * to.head;
        for (int64_t place = 0; place < to.width; ++place) vector[place] = from[row * wide + place];
    }
}

// The same as columns: [width, in_lanes(rows)].
CPU INLINE void read_columns(const HeadVectors &from, int64_t head, int64_t first, int64_t rows, float *to) {
    const int64_t wide = in_lanes(rows);
    for (int64_t row = 0; row < rows; ++row) {
        const float *vector = from.values + (first + row) * from.slot + head * from.head;
        for (int64_t place = 0; place < from.width; ++place) to[place * wide + row] = vector[place];
    }
    for (int64_t place = 0; place < from.width; ++place)
        for (int64_t row = rows; row < wide; ++row) to[place * wide + row] = 0;
}

// P = softmax(Q K^T / sqrt(d_k)), O = (P * M) V.
CPU void attend_within(const PackedAttention &task, const PackedSentence &sentence, int64_t head, float *room) {
    const int64_t queries = sentence.queries, keys = sentence.keys, seen_wide = in_lanes(keys);
    float *query = room, *key = query + queries * in_lanes(task.query.width);
    float *value = key + task.key.width * seen_wide, *result = value + keys * in_lanes(task.value.width);
    float *dropped = result + queries * in_lanes(task.value.width);
    float *weights = task.weights ? task.weights + sentence.weights + head * queries * seen_wide
                                  : dropped + queries * seen_wide;
    read_rows(task.query, head, sentence.first_query, queries, query);
    read_columns(task.key, head, sentence.first_key, keys, key);
    read_rows(task.value, head, sentence.first_key, keys, value);
    multiply({query, in_lanes(task.query.width), 1}, key, queries, task.query.width, seen_wide, weights);
    const float scale = 1 / std::sqrt(static_cast<float>(task.query.width));
    for (int64_t row = 0; row < queries; ++row) {
        float *own = weights + row * seen_wide;
        int64_t begin = 0, end = keys;
        if (task.causal && row + 1 < end) end = row + 1;
        if (task.window >= 0) {
            if (row - task.window > begin) begin = row - task.window;
            if (row + task.window + 1 < end) end = row + task.window + 1;
        }
        if (begin > end) begin = end;
        for (int64_t place = 0; place < begin; ++place) own[place] = 0;
        for (int64_t place = end; place < seen_wide; ++place) own[place] = 0;
        const float highest = highest_of(own + begin, end - begin);
        for (int64_t place = begin; place < end; ++place) own[place] = exponential((own[place] - highest) * scale);
        const float share = 1 / sum_of(end - begin, [&](int64_t place) CPU { return own[begin + place]; });
        for (int64_t place = begin; place < end; ++place) own[place] *= share;
    }
    const float *used = weights;
    if (task.mask) {
        const float *mask = task.mask + sentence.weights + head * queries * seen_wide;
        const float factor = static_cast<float>(task.factor);
        for (int64_t place = 0; place < queries * seen_wide; ++place) dropped[place] = weights[place] * mask[place] * factor;
        used = dropped;
    }
    multiply({used, seen_wide, 1}, value, queries, keys, in_lanes(task.value.width), result);
    write_rows(result, task.context, head, sentence.first_query, queries);
}

// dV = (P * M)^T dO, dP = (dO V^T) * M, dS = P * (dP - sum_key(P * dP)) / sqrt(d_k), dQ = dS K, dK = dS^T Q.
CPU void attend_within_backward(const PackedAttention &task, const PackedSentence &sentence, int64_t head, float *room) {
    const int64_t queries = sentence.queries, keys = sentence.keys, seen_wide = in_lanes(keys);
    const int64_t key_wide = in_lanes(task.query.width), value_wide = in_lanes(task.value.width);
    float *query = room, *key = query + queries * key_wide, *value = key + keys * key_wide;
    float *given = value + task.value.width * seen_wide, *flow = given + queries * value_wide;
    float *dropped = flow + queries * seen_wide, *result = dropped + queries * seen_wide;
    const float *weights = task.weights + sentence.weights + head * queries * seen_wide;
    read_rows(task.query, head, sentence.first_query, queries, query);
    read_rows(task.key, head, sentence.first_key, keys, key);
    read_columns(task.value, head, sentence.first_key, keys, value);
    read_rows(task.context, head, sentence.first_query, queries, given);
    multiply({given, value_wide, 1}, value, queries, task.value.width, seen_wide, flow);
    const float *used = weights;
    if (task.mask) {
        const float *mask = task.mask + sentence.weights + head * queries * seen_wide;
        const float factor = static_cast<float>(task.factor);
        for (int64_t place = 0; place < queries * seen_wide; ++place) {
            dropped[place] = weights[place] * mask[place] * factor;
            flow[place] *= mask[place] * factor;
        }
        used = dropped;
    }
    multiply({used, 1, seen_wide}, given, keys, queries, value_wide, result);
    write_rows(result, task.value_gradient, head, sentence.first_key, keys);
    const float scale = 1 / std::sqrt(static_cast<float>(task.query.width));
    for (int64_t row = 0; row < queries; ++row) {
        float *own = flow + row * seen_wide;
        const float *share = weights + row * seen_wide;
        const float mean = sum_of(seen_wide, [&](int64_t place) CPU { return share[place] * own[place]; });
        for (int64_t place = 0; place < seen_wide; ++place) own[place] = share[place] * (own[place] - mean) * scale;
    }
    multiply({flow, seen_wide, 1}, key, queries, keys, key_wide, result);
    write_rows(result, task.query_gradient, head, sentence.first_query, queries);
    multiply({flow, 1, seen_wide}, query, keys, queries, key_wide, result);
    write_rows(result, task.key_gradient, head, sentence.first_key, keys);
}
