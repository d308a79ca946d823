/// A gate through which one passes at a time, in the order in which they came.
actor OneAtATime {
    private var isTaken = false
    private var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    private var nextID = 0

    /// Waits for its turn.
    ///
    /// - Throws: `CancellationError`; the turn is not taken then.
    func acquire() async throws {
        try Task.checkCancellation()
        guard isTaken else {
            isTaken = true
            return
        }
        let id = nextID
        nextID += 1
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    waiting.append((id, continuation))
                }
            }
        } onCancel: {
            Task(executorPreference: nil) { await self.abandon(id) }
        }
    }

    func release() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().continuation.resume() }
    }

    private func abandon(_ id: Int) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).continuation.resume(throwing: CancellationError())
    }
}
