#include "models/module_pattern.hpp"

#include "tests/support/catch.hpp"

using namespace waferline::models;

namespace {

bool names(const char* pattern, const char* module) {
  ModulePatterns patterns;
  REQUIRE(patterns.add(pattern).empty());
  return patterns.name(module);
}

}  // namespace

TEST_CASE("a pattern names the modules that it matches and those within them") {
  CHECK(names("model.layers.*.self_attn", "layers.3.self_attn.q_proj"));
  CHECK(names("model.language_model.layers.0.self_attn*", "layers.0.self_attn.o_proj"));
  CHECK(names("*.mlp.shared_expert.*", "layers.7.mlp.shared_expert.up_proj"));
  CHECK_FALSE(names("model.layers.1.*", "layers.10.mlp.up_proj"));
  CHECK(names("model.layers.1*", "layers.10.mlp.up_proj"));  // as the quantiser's own globs do
  CHECK(names("backbone.layers.4.mixer.in_proj", "layers.4.mixer.in_proj"));
}

TEST_CASE("a bare word names the component of that name, not its beginning") {
  CHECK(names("gate", "layers.3.mlp.gate"));
  CHECK_FALSE(names("gate", "layers.3.mlp.gate_proj"));
  CHECK(names("lm_head", "lm_head"));
}

TEST_CASE("patterns of towers and of prediction layers do not name the decoder's layers") {
  CHECK_FALSE(names("vision_model.model.layers.0.self_attn.q_proj", "layers.0.self_attn.q_proj"));
  CHECK_FALSE(names("mtp.layers.0*", "layers.0.self_attn.q_proj"));
  CHECK(names("mtp.layers.0*", "mtp.layers.0.self_attn.q_proj"));
}

TEST_CASE("regular expressions match from the beginning of a module's full name") {
  CHECK(names("re:.*self_attn.*", "layers.3.self_attn.q_proj"));
  CHECK(names("re:model\\.layers\\.0\\..*", "layers.0.mlp.up_proj"));
  CHECK_FALSE(names("re:self_attn", "layers.3.self_attn.q_proj"));
}

TEST_CASE("a hostile expression ends in bounded time and a broken one is refused") {
  CHECK_FALSE(names("re:(a*)*(a*)*(a*)*b", "layers.3.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
  ModulePatterns patterns;
  CHECK_FALSE(patterns.add("re:(").empty());
  CHECK_FALSE(patterns.add("").empty());
  CHECK_FALSE(patterns.add(std::string(1000, '*')).empty());
}

TEST_CASE("globs with many stars end in bounded time") {
  const std::string stars = "*a*a*a*a*a*a*a*a*a*a*a*a*b";
  CHECK_FALSE(glob_matches(stars, std::string(200, 'a')));
  CHECK(glob_matches("*", ""));
  CHECK(glob_matches("a?c", "abc"));
}
