#if Sandbox
extension MenagerieClient {
    /// Searches for accessories. There is one radio: a new search ends the current one with `cancelled`. A task that is
    /// cancelled while it searches releases the radio, and the links it holds.
    public func scan() async throws(MenagerieError) -> [Accessory] {
        try requireConfiguration()
        scan?.cancel()
        let search = Task<[Accessory], any Error> { [self] in try await accessories().items }
        scan = search
        do {
            return try await withTaskCancellationHandler {
                try await search.value
            } onCancel: {
                search.cancel()
                Task { await releaseRadio() }
            }
        } catch {
            throw MenagerieError(transport: error)
        }
    }

    private nonisolated func releaseRadio() async {
        guard let list = try? await accessories() else { return }
        for accessory in list.items where accessory.state == .linked || accessory.state == .active {
            _ = try? await unlink(accessory.id)
        }
    }
}
#endif
