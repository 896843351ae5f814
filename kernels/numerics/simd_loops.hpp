// No include guard: each instruction set's file includes this once, inside its own namespace, after defining
// `struct Lanes` (F, kWidth, load, load_fp16, load_bf16, load_int8, store, broadcast, multiply, add,
// multiply_add, round_fp16).

template <bool Fp16Accumulation>
inline Lanes::F accumulate(Lanes::F weight, Lanes::F x, Lanes::F sum) {
  sum = Lanes::multiply_add(weight, x, sum);
  if constexpr (Fp16Accumulation) sum = Lanes::round_fp16(sum);
  return sum;
}

template <PanelFormat Format>
inline Lanes::F load_weights(const void* row, std::int64_t lane) {
  if constexpr (Format == PanelFormat::fp32) return Lanes::load(static_cast<const float*>(row) + lane);
  if constexpr (Format == PanelFormat::fp16) return Lanes::load_fp16(static_cast<const std::uint16_t*>(row) + lane);
  if constexpr (Format == PanelFormat::bf16) return Lanes::load_bf16(static_cast<const std::uint16_t*>(row) + lane);
  if constexpr (Format == PanelFormat::scaled_int8)
    return Lanes::load_int8(static_cast<const std::int8_t*>(row) + lane);
}

constexpr std::int64_t row_bytes(PanelFormat format) {
  return kPanelOutputs * (format == PanelFormat::fp32 ? 4 : format == PanelFormat::scaled_int8 ? 1 : 2);
}

/// Lanes that stay in registers while the inputs of a block pass: 64 outputs, or fewer where registers are fewer.
constexpr std::int64_t kVectors = Lanes::kWidth == 1 ? 8 : kPanelOutputs / Lanes::kWidth;
constexpr std::int64_t kStripe = kVectors * Lanes::kWidth;

/// Adds the products of inputs [begin, end) to the sums of one stripe.
template <PanelFormat Format, bool Fp16Accumulation>
inline void multiply_block(const Panel& panel, const float* x, std::int64_t begin, std::int64_t end, std::int64_t lane,
                           Lanes::F (&sum)[kVectors]) {
  const auto* row = static_cast<const std::uint8_t*>(panel.elements) + begin * row_bytes(Format);
  for (std::int64_t k = begin; k < end; ++k, row += row_bytes(Format)) {
    const Lanes::F input = Lanes::broadcast(x[k]);
    for (std::int64_t v = 0; v < kVectors; ++v) {
      Lanes::F weight = load_weights<Format>(row, lane + v * Lanes::kWidth);
      if constexpr (Format == PanelFormat::scaled_int8) {
        const std::uint16_t* scales = panel.scales + panel.scale_rows[k] * kPanelOutputs + lane + v * Lanes::kWidth;
        weight = Lanes::multiply(weight, Lanes::load_fp16(scales));
      }
      sum[v] = accumulate<Fp16Accumulation>(weight, input, sum[v]);
    }
  }
}

template <PanelFormat Format, bool Fp16Accumulation>
void block_partial(const Panel& panel, const float* x, std::int64_t begin, std::int64_t end, std::int64_t lane,
                   float* partial) {
  Lanes::F sum[kVectors];
  for (std::int64_t v = 0; v < kVectors; ++v) sum[v] = Lanes::load(partial + lane + v * Lanes::kWidth);
  multiply_block<Format, Fp16Accumulation>(panel, x, begin, end, lane, sum);
  for (std::int64_t v = 0; v < kVectors; ++v) Lanes::store(partial + lane + v * Lanes::kWidth, sum[v]);
}

template <PanelFormat Format, bool Fp16Accumulation>
void all_blocks(const Panel& panel, const float* x, std::span<const std::int64_t> bounds, float* partial) {
  for (std::size_t b = 0; b + 1 < bounds.size(); ++b, partial += kPanelOutputs) {
    for (std::int64_t lane = 0; lane < kPanelOutputs; lane += kStripe) {
      block_partial<Format, Fp16Accumulation>(panel, x, bounds[b], bounds[b + 1], lane, partial);
    }
  }
}

template <PanelFormat Format>
void all_blocks(const Panel& panel, const float* x, std::span<const std::int64_t> bounds, bool fp16_accumulation,
                float* partial) {
  if (fp16_accumulation) return all_blocks<Format, true>(panel, x, bounds, partial);
  all_blocks<Format, false>(panel, x, bounds, partial);
}

void panel_partials(const Panel& panel, const float* x, std::span<const std::int64_t> bounds, bool fp16_accumulation,
                    float* partial) {
  switch (panel.format) {
    case PanelFormat::fp32:
      return all_blocks<PanelFormat::fp32>(panel, x, bounds, fp16_accumulation, partial);
    case PanelFormat::fp16:
      return all_blocks<PanelFormat::fp16>(panel, x, bounds, fp16_accumulation, partial);
    case PanelFormat::bf16:
      return all_blocks<PanelFormat::bf16>(panel, x, bounds, fp16_accumulation, partial);
    case PanelFormat::scaled_int8:
      return all_blocks<PanelFormat::scaled_int8>(panel, x, bounds, fp16_accumulation, partial);
  }
}

inline Lanes::F round_wire(DType wire, Lanes::F value) {
  if (wire == DType::fp16) return Lanes::round_fp16(value);
  if (wire == DType::bf16) return Lanes::round_bf16(value);
  return value;
}

/// Local sums of one PE over one term, rounded as they travel.
template <PanelFormat Format, bool Fp16Accumulation>
inline void add_term(const PanelTerm& term, DType wire, std::int64_t block, std::int64_t lane,
                     Lanes::F (&sum)[kVectors]) {
  multiply_block<Format, Fp16Accumulation>(term.panel, term.x, term.bounds[static_cast<std::size_t>(block)],
                                           term.bounds[static_cast<std::size_t>(block) + 1], lane, sum);
  if (Fp16Accumulation && wire == DType::fp16) return;
  for (Lanes::F& lanes : sum) lanes = round_wire(wire, lanes);
}

template <bool Fp16Accumulation>
inline void add_term(const PanelTerm& term, DType wire, std::int64_t block, std::int64_t lane,
                     Lanes::F (&sum)[kVectors]) {
  switch (term.panel.format) {
    case PanelFormat::fp32:
      return add_term<PanelFormat::fp32, Fp16Accumulation>(term, wire, block, lane, sum);
    case PanelFormat::fp16:
      return add_term<PanelFormat::fp16, Fp16Accumulation>(term, wire, block, lane, sum);
    case PanelFormat::bf16:
      return add_term<PanelFormat::bf16, Fp16Accumulation>(term, wire, block, lane, sum);
    case PanelFormat::scaled_int8:
      return add_term<PanelFormat::scaled_int8, Fp16Accumulation>(term, wire, block, lane, sum);
  }
}

/// Any terms, for what is rare.
template <bool Fp16Accumulation>
struct AnyTerms {
  std::span<const PanelTerm> terms;
  inline void add(DType wire, std::int64_t block, std::int64_t lane, Lanes::F (&sum)[kVectors]) const {
    for (const PanelTerm& term : terms) add_term<Fp16Accumulation>(term, wire, block, lane, sum);
  }
};

template <PanelFormat Format, bool Fp16Accumulation>
struct OneTerm {
  const PanelTerm& term;
  inline void add(DType wire, std::int64_t block, std::int64_t lane, Lanes::F (&sum)[kVectors]) const {
    add_term<Format, Fp16Accumulation>(term, wire, block, lane, sum);
  }
};

template <class Terms>
void sum_steps(const Terms& terms, const LineSum& line, float* slots) {
  for (const SumStep& step : line.steps) {
    for (std::int64_t lane = 0; lane < kPanelOutputs; lane += kStripe) {
      float* to = slots + step.to * kPanelOutputs + lane;
      Lanes::F sum[kVectors];
      if (step.block != SumStep::kNone) {
        for (Lanes::F& lanes : sum) lanes = Lanes::broadcast(0.0F);
        terms.add(line.wire, step.block, lane, sum);
      } else {
        for (std::int64_t v = 0; v < kVectors; ++v) sum[v] = Lanes::load(to + v * Lanes::kWidth);
      }
      if (step.from != SumStep::kNone) {
        const float* from = slots + step.from * kPanelOutputs + lane;
        for (std::int64_t v = 0; v < kVectors; ++v) {
          sum[v] = round_wire(line.wire, Lanes::add(sum[v], Lanes::load(from + v * Lanes::kWidth)));
        }
      }
      for (std::int64_t v = 0; v < kVectors; ++v) Lanes::store(to + v * Lanes::kWidth, sum[v]);
    }
  }
}

template <bool Fp16Accumulation>
void sum_panel(std::span<const PanelTerm> terms, const LineSum& line, float* slots) {
  if (terms.size() != 1) return sum_steps(AnyTerms<Fp16Accumulation>{terms}, line, slots);
  const PanelTerm& term = terms.front();
  switch (term.panel.format) {
    case PanelFormat::fp32:
      return sum_steps(OneTerm<PanelFormat::fp32, Fp16Accumulation>{term}, line, slots);
    case PanelFormat::fp16:
      return sum_steps(OneTerm<PanelFormat::fp16, Fp16Accumulation>{term}, line, slots);
    case PanelFormat::bf16:
      return sum_steps(OneTerm<PanelFormat::bf16, Fp16Accumulation>{term}, line, slots);
    case PanelFormat::scaled_int8:
      return sum_steps(OneTerm<PanelFormat::scaled_int8, Fp16Accumulation>{term}, line, slots);
  }
}

void sum_panel(std::span<const PanelTerm> terms, const LineSum& line, float* slots) {
  if (line.fp16_accumulation) return sum_panel<true>(terms, line, slots);
  sum_panel<false>(terms, line, slots);
}

/// Adds whole vectors and leaves the rest of the n elements; returns how many were done.
std::int64_t combine_sum(DType wire, const float* received, float* sum, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + Lanes::kWidth <= n; i += Lanes::kWidth) {
    const Lanes::F total = Lanes::add(Lanes::load(sum + i), Lanes::load(received + i));
    Lanes::store(sum + i, round_wire(wire, total));
  }
  return i;
}

std::int64_t round_to_fp16(float* values, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + Lanes::kWidth <= n; i += Lanes::kWidth)
    Lanes::store(values + i, Lanes::round_fp16(Lanes::load(values + i)));
  return i;
}
