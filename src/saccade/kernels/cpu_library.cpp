// All that is compiled: see cpu_library.py.

#include "transformer_cpu.hpp"

#include "beam_step_cpu.hpp"

#include "varlen_attention_cpu.hpp"
