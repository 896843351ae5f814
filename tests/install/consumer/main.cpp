#include <cstdio>

#include "arch/config_node.hpp"
#include "models/model.hpp"

int main() {
  const waferline::ConfigNode node = waferline::parse_json("{\"hidden_size\": 4096}", "inline");
  waferline::models::Model model;
  model.hidden_size = *node.find("hidden_size")->integer();
  std::printf("%lld\n", static_cast<long long>(model.hidden_size));
  return model.hidden_size == 4096 ? 0 : 1;
}
