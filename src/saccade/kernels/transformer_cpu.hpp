// A Transformer on a CPU, in float32: the states of its encoder, and one step of its decoder.
//
// What is computed is said by models/transformer.py, and tests compare the two. In torch a step of a small model is five
// hundred operations, and half of its time is spent between them. Here it is one call, every weight is read once for all
// rows, and there are no rows for padding.
//
// A row of a result never depends on the rows of other sentences: each of its numbers is a sum in one fixed order, whatever
// the number of rows or threads. So a translation depends on its sentence alone, to the last bit.

#pragma once

#include "cpu_layers.hpp"

// Whoever calls lays these out in memory as they stand here: transformer_cpu.py.
extern "C" {
struct Cache { // keys and values [sentences, heads, places, width of a head], with the strides of the first three
    float *keys, *values;
    int64_t key_strides[3], value_strides[3];
};
struct Step {
    const Cache *written, *source; // one for each layer
    const int64_t *tokens;         // [sentences, size]
    const float *position;         // the vector of the position that is written
    int64_t sentences, size, now;  // places from `now` on are written
    const float *ancestors;        // [sentences, size, now + size]: zero where a hypothesis sees, else minus infinity
    int64_t ancestors_strides[2];
    const uint8_t *source_mask; // [sentences, source]
    int64_t source_length;
    float *logits; // [sentences * size, vocabulary]
    int64_t threads, padding; // a hypothesis that reads padding is an empty place
};
struct Sentences {
    const int64_t *tokens, *lengths; // [sentences, longest], [sentences]
    const float *positions;          // [longest, width]
    int64_t sentences, longest;
    int64_t window; // how far a position sees to each side, or -1
    float *states;  // [sentences, longest, width]
    int64_t threads;
};
struct Source {
    const int64_t *lengths; // [sentences]
    const float *states;    // [sentences, longest, width]
    int64_t sentences, longest;
    float *keys_values; // [layers, sentences, longest, keys and values of all heads]
    int64_t threads;
};
}

namespace {

// So many rows of states stay in a core's cache while all weights of a layer pass by.
constexpr int64_t ROWS_AT_ONCE = 128;

// Which places each of several rows sees.
struct Seen {
    std::vector<int32_t> places;
    std::vector<int64_t> counts;
    int64_t most = 0;

    template <class Sees> Seen(int64_t rows, int64_t length, const Sees &sees) : places(rows * length), counts(rows), most(length) {
        for (int64_t row = 0; row < rows; ++row)
            for (int64_t place = 0; place < length; ++place)
                if (sees(row, place)) places[row * length + counts[row]++] = static_cast<int32_t>(place);
    }
};

float *place_in(float *values, const int64_t *strides, int64_t sentence, int64_t head, int64_t place) {
    return values + sentence * strides[0] + head * strides[1] + place * strides[2];
}

// The hypotheses of a step that are no empty places, or those that are.
std::vector<int64_t> hypotheses(const Step &step, bool empty) {
    std::vector<int64_t> found;
    for (int64_t hypothesis = 0; hypothesis < step.sentences * step.size; ++hypothesis)
        if ((step.tokens[hypothesis] == step.padding) == empty) found.push_back(hypothesis);
    return found;
}

struct DecoderStep : Rows {
    const Step &step;
    const std::vector<int64_t> &hypothesis_of; // a row

    DecoderStep(const Stack &stack, const Step &step, const std::vector<int64_t> &hypothesis_of)
        : Rows(stack, static_cast<int64_t>(hypothesis_of.size()), step.threads), step(step), hypothesis_of(hypothesis_of) {}

    int64_t sentence_of(int64_t row) const { return hypothesis_of[row] / step.size; }

    // New keys and values go to their places: attention/cache.py.
    void write(const Cache &cache) {
        for (int64_t row = 0; row < rows; ++row)
            for (int64_t head = 0; head < stack.heads; ++head) {
                int64_t sentence = sentence_of(row), place = step.now + hypothesis_of[row] % step.size;
                const float *keys = wide + row * joint + keys_wide, *values = keys + keys_wide;
                std::memcpy(place_in(cache.keys, cache.key_strides, sentence, head, place), keys + head * stack.key_width,
                            stack.key_width * sizeof(float));
                std::memcpy(place_in(cache.values, cache.value_strides, sentence, head, place),
                            values + head * stack.value_width, stack.value_width * sizeof(float));
            }
    }

    // `seen` is of each row, or of each sentence.
    void look(const Cache &cache, const Seen &seen, bool by_sentence, int64_t query_stride) {
        attention(query_stride, seen.most, [&](int64_t row, int64_t head, const float *query, float *weights, float *result) {
            int64_t sentence = sentence_of(row), each = by_sentence ? sentence : row;
            Look look{query, place_in(cache.keys, cache.key_strides, sentence, head, 0),
                      place_in(cache.values, cache.value_strides, sentence, head, 0), cache.key_strides[2], cache.value_strides[2], stack.key_width, stack.value_width};
            arithmetic.attend(look, seen.places.data() + each * seen.most, seen.counts[each], weights, result);
        });
    }

    void run() {
        Seen written(rows, step.now + step.size, [&](int64_t row, int64_t place) {
            return step.ancestors[sentence_of(row) * step.ancestors_strides[0] +
                                  hypothesis_of[row] % step.size * step.ancestors_strides[1] + place] == 0;
        });
        Seen source(step.sentences, step.source_length, [&](int64_t sentence, int64_t place) {
            return step.source_mask[sentence * step.source_length + place] != 0;
        });
        for (int64_t row = 0; row < rows; ++row) embed(row, step.tokens[hypothesis_of[row]], step.position);
        for (int64_t number = 0; number < stack.layer_count; ++number) {
            const Layer &layer = stack.layers[number];
            product(before(layer.self_norm), layer.project, wide);
            write(step.written[number]);
            look(step.written[number], written, false, joint);
            after(context, layer.self_output, layer.self_norm);
            product(before(layer.cross_norm), layer.query, wide);
            look(step.source[number], source, true, keys_wide);
            after(context, layer.cross_output, layer.cross_norm);
            feedforward(layer);
        }
        end();
        product(states, stack.output, step.logits);
    }
};

// From the logits of all rows, one after another, to those of all hypotheses. An empty place has zeros, in the cache too:
// torch multiplies by zero what a hypothesis does not see, and might find anything there.
void spread(const Stack &decoder, const Step &step, const std::vector<int64_t> &hypothesis_of) {
    int64_t vocabulary = decoder.output.outer;
    for (int64_t row = static_cast<int64_t>(hypothesis_of.size()) - 1; row >= 0 && hypothesis_of[row] != row; --row)
        std::memcpy(step.logits + hypothesis_of[row] * vocabulary, step.logits + row * vocabulary, vocabulary * sizeof(float));
    for (int64_t hypothesis : hypotheses(step, true)) {
        std::memset(step.logits + hypothesis * vocabulary, 0, vocabulary * sizeof(float));
        int64_t sentence = hypothesis / step.size, place = step.now + hypothesis % step.size;
        for (int64_t layer = 0; layer < decoder.layer_count; ++layer)
            for (int64_t head = 0; head < decoder.heads; ++head) {
                const Cache &cache = step.written[layer];
                std::memset(place_in(cache.keys, cache.key_strides, sentence, head, place), 0,
                            decoder.key_width * sizeof(float));
                std::memset(place_in(cache.values, cache.value_strides, sentence, head, place), 0,
                            decoder.value_width * sizeof(float));
            }
    }
}

// From one hypothesis of each sentence to all: rows of logits, keys and values.
void repeat(const Stack &decoder, const Step &step) {
    int64_t vocabulary = decoder.output.outer;
    for (int64_t sentence = step.sentences - 1; sentence >= 0; --sentence)
        for (int64_t each = step.size - 1; each >= 0; --each)
            std::memmove(step.logits + (sentence * step.size + each) * vocabulary, step.logits + sentence * vocabulary,
                         vocabulary * sizeof(float));
    for (int64_t layer = 0; layer < decoder.layer_count; ++layer)
        for (int64_t sentence = 0; sentence < step.sentences; ++sentence)
            for (int64_t head = 0; head < decoder.heads; ++head)
                for (int64_t place = 1; place < step.size; ++place) {
                    const Cache &cache = step.written[layer];
                    float *key = place_in(cache.keys, cache.key_strides, sentence, head, 0);
                    float *value = place_in(cache.values, cache.value_strides, sentence, head, 0);
                    std::memcpy(key + place * cache.key_strides[2], key, decoder.key_width * sizeof(float));
                    std::memcpy(value + place * cache.value_strides[2], value, decoder.value_width * sizeof(float));
                }
}

// The sentences from `first` to before `last`, their rows one after another and none for padding.
struct Lines {
    const int64_t first, longest;
    std::vector<int64_t> begins{0}, sentence_of; // counted from `first`

    Lines(const int64_t *lengths, int64_t first, int64_t last, int64_t longest) : first(first), longest(longest) {
        for (int64_t sentence = first; sentence < last; ++sentence) {
            begins.push_back(begins.back() + lengths[sentence]);
            sentence_of.resize(begins.back(), sentence - first);
        }
    }
    int64_t rows() const { return begins.back(); }
    int64_t place_of(int64_t row) const { return row - begins[sentence_of[row]]; }
    int64_t padded(int64_t row) const { return (first + sentence_of[row]) * longest + place_of(row); }
};

// work(lines) for all sentences, so many at once.
template <class Work> void for_lines(const int64_t *lengths, int64_t sentences, int64_t longest, const Work &work) {
    for (int64_t first = 0, last, rows; first < sentences; first = last) {
        rows = lengths[first];
        for (last = first + 1; last < sentences && rows + lengths[last] <= ROWS_AT_ONCE; ++last) rows += lengths[last];
        if (rows) work(Lines(lengths, first, last, longest));
    }
}

void encode(const Stack &stack, const Sentences &given, const Lines &lines) {
    Rows all(stack, lines.rows(), given.threads);
    std::vector<int32_t> places(given.longest);
    for (int64_t place = 0; place < given.longest; ++place) places[place] = static_cast<int32_t>(place);
    for (int64_t row = 0; row < all.rows; ++row)
        all.embed(row, given.tokens[lines.padded(row)], given.positions + lines.place_of(row) * stack.width);
    for (int64_t number = 0; number < stack.layer_count; ++number) {
        const Layer &layer = stack.layers[number];
        all.product(all.before(layer.self_norm), layer.project, all.wide);
        all.attention(all.joint, given.longest, [&](int64_t row, int64_t head, const float *query, float *weights, float *result) {
            int64_t sentence = lines.sentence_of[row], own = lines.place_of(row), begin = 0;
            int64_t first = lines.begins[sentence], end = lines.begins[sentence + 1] - first;
            if (given.window >= 0) {
                begin = own > given.window ? own - given.window : 0;
                end = own + given.window + 1 < end ? own + given.window + 1 : end;
            }
            const float *keys = all.wide + first * all.joint + all.keys_wide;
            Look look{query, keys + head * stack.key_width, keys + all.keys_wide + head * stack.value_width,
                      all.joint, all.joint, stack.key_width, stack.value_width};
            arithmetic.attend(look, places.data() + begin, end - begin, weights, result);
        });
        all.after(all.context, layer.self_output, layer.self_norm);
        all.feedforward(layer);
    }
    all.end();
    for (int64_t row = 0; row < all.rows; ++row)
        std::memcpy(given.states + lines.padded(row) * stack.width, all.states + row * stack.width, stack.width * sizeof(float));
}

void keys_values(const Stack &stack, const Source &source, const Lines &lines) {
    Rows all(stack, lines.rows(), source.threads);
    const int64_t both = all.keys_wide + all.values_wide;
    for (int64_t row = 0; row < all.rows; ++row)
        std::memcpy(all.states + row * stack.width, source.states + lines.padded(row) * stack.width, stack.width * sizeof(float));
    for (int64_t number = 0; number < stack.layer_count; ++number) {
        all.product(all.states, stack.layers[number].source, all.wide);
        float *result = source.keys_values + number * source.sentences * source.longest * both;
        for (int64_t row = 0; row < all.rows; ++row)
            std::memcpy(result + lines.padded(row) * both, all.wide + row * both, both * sizeof(float));
    }
}

void decode(const Stack &decoder, const Step &step) {
    bool all_equal = step.now == 0;
    std::vector<int64_t> tokens;
    for (int64_t row = 0; all_equal && row < step.sentences * step.size; ++row) {
        if (row % step.size == 0) tokens.push_back(step.tokens[row]);
        all_equal = step.tokens[row] == tokens.back() && step.tokens[row] != step.padding;
    }
    if (!all_equal) {
        const std::vector<int64_t> hypothesis_of = hypotheses(step, false);
        DecoderStep(decoder, step, hypothesis_of).run();
        spread(decoder, step, hypothesis_of);
        return;
    }
    // Where nothing is written yet, the hypotheses of a sentence are one and the same.
    Step first = step;
    first.size = 1, first.tokens = tokens.data();
    DecoderStep(decoder, first, hypotheses(first, false)).run();
    repeat(decoder, step);
}

} // namespace

// The states of all positions that are not padding; the others stay as they are.
extern "C" int64_t encoder_states(const Stack *encoder, const Sentences *given) {
    return told([&] {
        for_lines(given->lengths, given->sentences, given->longest,
                  [&](const Lines &lines) { encode(*encoder, *given, lines); });
        return 0;
    });
}

// What a decoder can look at in these states; nothing is written for padding.
extern "C" int64_t source_keys_values(const Stack *decoder, const Source *source) {
    return told([&] {
        for_lines(source->lengths, source->sentences, source->longest,
                  [&](const Lines &lines) { keys_values(*decoder, *source, lines); });
        return 0;
    });
}

extern "C" int64_t decoder_step(const Stack *decoder, const Step *step) {
    return told([&] {
        decode(*decoder, *step);
        return 0;
    });
}
