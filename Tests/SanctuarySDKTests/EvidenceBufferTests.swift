#if Staged
import Cofferdam
import CofferdamUpgrade
import Testing

@testable import SanctuarySDK

@Suite struct CountingWindowTests {
    private let recorder = EvidenceRecorder(StageState(stage: .candidateWithFallback, epoch: 1))

    private func call(_ window: EvidenceBuffer, _ unit: String) {
        window.called(
            RoutedCall(
                capability: "orders",
                operation: "orders",
                stage: .candidateWithFallback,
                epoch: 1,
                unit: unit,
                side: .candidate,
                role: .first,
                outcome: .failed(.failed, kind: "closed"),
                duration: .zero
            )
        )
    }

    private var counted: Int? { recorder.reading(afterSeconds: 1).metrics[.candidateFailures]?.total }

    @Test func `What is counted before the saved evidence is read is added once it is`() {
        let window = EvidenceBuffer(before: recorder)
        #expect(!window.hasCounted)
        call(window, "a")
        #expect(counted == 0)
        window.open()
        #expect(counted == 1)
        call(window, "b")
        #expect(counted == 2)
        #expect(window.hasCounted)
    }

    @Test(arguments: [false, true])
    func `What closing cuts off does not count`(isOpen: Bool) {
        let window = EvidenceBuffer(before: recorder)
        if isOpen { window.open() }
        window.close()
        call(window, "a")
        window.open()
        #expect(counted == 0)
        #expect(!window.hasCounted)
    }
}
#endif
