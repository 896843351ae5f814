#pragma once
// Catch2 is 2.13 on Debian 12 and 3.x elsewhere: tests include this header only.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
