#pragma once
// The tensors that a checkpoint's files list: names, types and shapes, without the weights themselves.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/units.hpp"
#include "models/model.hpp"

namespace waferline::models {

/// One tensor as a file lists it.
struct ListedTensor {
  std::string name;
  std::string dtype;                ///< as the file names it: "BF16", "U8", "Q4_K"
  std::vector<std::int64_t> shape;  ///< outputs first, as in safetensors
  std::int64_t elements = 0;        ///< of the file's own type: two packed 4-bit values count once
  Bytes bytes;
};

/// What the files of a checkpoint list together.
struct TensorTable {
  std::string source;
  std::vector<ListedTensor> tensors;
  std::vector<std::string> unread_names;     ///< tensors that an index names in files that are not there: no shapes
  std::optional<std::int64_t> stated_bytes;  ///< metadata.total_size of an index
  std::vector<std::string> notes;

  /// Sum of elements as stored. Precondition: the readers made the table (they bound every product).
  std::int64_t elements() const;
};

/// Compares a table with the model that its configuration describes. One note for each part that differs, saying by how
/// many elements and, where the names tell, why (a second copy of a tied head, scales, packed values, a vision tower
/// that was not counted); "warning:" begins those that nothing explains. Empty if all parts agree.
std::vector<std::string> cross_check(const Model& model, const TensorTable& table);

}  // namespace waferline::models
