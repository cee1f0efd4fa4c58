// What a call tells Python. An exception that leaves the library would end the process, so none does.

#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>

constexpr int64_t NO_MEMORY = -1; // cpu_library.py has it too

// What `work` returns, which is never negative, or NO_MEMORY.
template <class Work> int64_t told(const Work &work) {
    try {
        return work();
    } catch (const std::bad_alloc &) {
    } catch (const std::length_error &) { // a vector with more numbers than there are addresses
    }
    return NO_MEMORY;
}
