/// What a session has decided by one state of its control: made once, and read by every call that is more than direct.
@usableFromInline
final class SessionDecision: Sendable {
    let generation: UInt64
    let stage: Stage
    let epoch: Int
    let side: Side
    let sample: RoutedCall.Sample?
    /// What holds in its place for single operations, by their names.
    private let overrides: [String: SessionDecision]

    init(
        generation: UInt64,
        stage: Stage,
        epoch: Int,
        side: Side,
        sample: RoutedCall.Sample?,
        overrides: [String: SessionDecision] = [:]
    ) {
        self.generation = generation
        self.stage = stage
        self.epoch = epoch
        self.side = side
        self.sample = sample
        self.overrides = overrides
    }

    var isSampled: Bool { sample?.isIn ?? false }

    /// The generation, and in the last three bits where calls go directly.
    var word: UInt64 { generation << 3 | (directWay?.word ?? DirectWay.none) }

    /// Set if every call just goes to one side, but for those that are compared.
    private var directWay: DirectWay? {
        guard overrides.isEmpty else { return nil }
        switch stage {
        case .legacyOnly, .shadow, .candidateShadowed, .candidateOnly: break
        case .canary, .candidateWithFallback: if side == .candidate { return nil }
        }
        return DirectWay(side: side, isSampled: isSampled)
    }

    func overridden(for operation: String?) -> SessionDecision { operation.flatMap { overrides[$0] } ?? self }
}
