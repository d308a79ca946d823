import Cofferdam

/// A stream from a tape.
struct ReplayedStream<Record: TapeRecord>: AsyncSequence, Sendable {
    typealias Element = Record.Value
    typealias Failure = any Error

    let player: TapePlayer
    let errors: (any TapeErrorRecord.Type)?
    let take: @Sendable () throws(TapeError) -> TapeEntry

    func makeAsyncIterator() -> Iterator {
        let entry: Result<TapeEntry, TapeError>
        do throws(TapeError) { entry = .success(try take()) } catch { entry = .failure(error) }
        return Iterator(entry: entry, errors: errors, waiting: player.waiting())
    }

    struct Iterator: AsyncIteratorProtocol {
        let entry: Result<TapeEntry, TapeError>
        let errors: (any TapeErrorRecord.Type)?
        let waiting: (Int64) async throws -> Void
        var position = 0
        var isOver = false

        mutating func next() async throws -> Element? {
            guard !isOver else { return nil }
            do {
                let entry = try entry.get()
                let items = entry.items ?? []
                if position < items.count {
                    let item = items[position]
                    try await waiting(item.at)
                    position += 1
                    return try entry.read(item.value, as: Record.self)
                }
                try await waiting(entry.took)
                try await entry.end(as: NothingRecord.self, errors)
                isOver = true
                return nil
            } catch {
                isOver = true
                throw error
            }
        }
    }
}
