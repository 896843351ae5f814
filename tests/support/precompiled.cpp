// Gives the precompiled Catch2 header, which every test program shares, a source to be built with.
