waferline_test(unit serving SOURCES serving/closed_forms.cpp serving/run.cpp serving/speculation.cpp serving/trace.cpp
  serving/prefill.cpp serving/answer.cpp DEPENDS Waferline::traces)
