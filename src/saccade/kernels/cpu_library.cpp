// All that is compiled: see cpu_library.py.

#include "beam_steps_cpu.hpp"

#include "varlen_attention_cpu.hpp"
