#pragma once
// What a checkpoint holds beside the text model's own weights: a vision tower, and tensors without information of their
// own.

#include "models/family.hpp"

namespace waferline::models {

/// Adds the vision tower and its projector, from vision_config, or as published where the family's text-only files
/// leave vision_config out (Gemma 3, Llama 4). A vision_config that cannot be counted makes a note, not a problem:
/// decoding text does not read it. Model: F58.
void add_vision(Build& build);

/// Adds the buffers that published checkpoints of this family or shape store: causal masks (GPT-2), rotary tables
/// (Llama files written before transformers 4.32), second copies of tied heads. Each with a note.
void add_stored_buffers(Build& build);

}  // namespace waferline::models
