#if Staged
import Cofferdam
import CofferdamUpgrade

/// Buffers events for the evidence: holds them while the evidence of earlier processes is being read, and ignores
/// those caused by closing.
final class EvidenceBuffer: RouteObserver {
    private enum Event {
        case began(CallInFlight)
        case called(RoutedCall)
        case compared(ShadowComparison)
        case opened(SideOpening)
        case sessionEnded(String)
    }

    private struct State {
        /// The held events; nil once the buffer is open.
        var held: [Event]? = []
        var isClosed = false
        var hasCounted = false
    }

    /// The maximum number of held events. Reading takes milliseconds; further events are not counted.
    private static let maximumHeld = 1_000

    private let state = Mutex(State())
    private let recorder: EvidenceRecorder

    init(before recorder: EvidenceRecorder) { self.recorder = recorder }

    /// Whether any event was counted.
    var hasCounted: Bool { state.withLock { $0.hasCounted } }

    func open() {
        state.withLock { state in
            // Under the lock, so that events stay in order.
            for event in state.held ?? [] { count(event) }
            state.held = nil
        }
    }

    func close() { state.withLock { $0.isClosed = true } }

    func began(_ call: CallInFlight) { take(.began(call)) }
    func called(_ call: RoutedCall) { take(.called(call)) }
    func compared(_ comparison: ShadowComparison) { take(.compared(comparison)) }
    func opened(_ opening: SideOpening) { take(.opened(opening)) }
    /// Records that the unit's session has ended, so that its windows need not wait.
    func sessionEnded(of unit: String) { take(.sessionEnded(unit)) }

    private func take(_ event: Event) {
        let mayCount = state.withLock { state in
            guard !state.isClosed else { return false }
            state.hasCounted = true
            guard let held = state.held else { return true }
            if held.count < Self.maximumHeld { state.held?.append(event) }
            return false
        }
        if mayCount { count(event) }
    }

    private func count(_ event: Event) {
        switch event {
        case .began(let call): recorder.began(call)
        case .called(let call): recorder.called(call)
        case .compared(let comparison): recorder.compared(comparison)
        case .opened(let opening): recorder.opened(opening)
        case .sessionEnded(let unit): recorder.sessionEnded(of: unit)
        }
    }
}
#endif
