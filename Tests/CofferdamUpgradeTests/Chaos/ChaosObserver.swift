import Cofferdam
import CofferdamUpgrade

/// Records the stage of each call by epoch, for an operation without an override.
final class ChaosObserver: RouteObserver {
    private let recorder: EvidenceRecorder
    private let watch: BreakerWatch?
    private let ledger: Ledger
    private let noted = Mutex<Set<String>>([])

    init(recorder: EvidenceRecorder, watch: BreakerWatch?, ledger: Ledger) {
        (self.recorder, self.watch, self.ledger) = (recorder, watch, ledger)
    }

    func called(_ call: RoutedCall) {
        recorder.called(call)
        watch?.called(call)
        guard call.operation == "page" else { return }
        let isNew = noted.withLock { $0.insert("\(call.epoch) \(call.stage)").inserted }
        if isNew { ledger.add("\(call.epoch)", "\(call.stage)") }
    }

    func compared(_ comparison: ShadowComparison) { recorder.compared(comparison) }
}
