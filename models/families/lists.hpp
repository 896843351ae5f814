#pragma once
// The parts of the family table, one function a file.

#include <vector>

#include "models/family.hpp"

namespace waferline::models {

void add_llama_like(std::vector<Family>& out);
void add_gemma_like(std::vector<Family>& out);
void add_expert_families(std::vector<Family>& out);
void add_gpt_like(std::vector<Family>& out);
void add_hybrid_families(std::vector<Family>& out);
void add_late_gemma(std::vector<Family>& out);
void add_nemotron(std::vector<Family>& out);
void add_odd_families(std::vector<Family>& out);

}  // namespace waferline::models
