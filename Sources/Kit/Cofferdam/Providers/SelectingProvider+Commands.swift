extension SelectingProvider {
    /// Runs a command on the one that is chosen now, and on no other: bound to it, it is never passed on to the next.
    ///
    /// When that one is no longer chosen, lost or replaced, the command is cancelled, and waited for: it must heed
    /// cancellation. One that has succeeded all the same gives its value.
    ///
    /// - Throws: ``NothingChosen`` before anything is run; ``ChoiceLost`` if the command failed after its candidate was no
    ///   longer chosen; otherwise what the command throws.
    public func perform<Value: Sendable>(
        _ command: @escaping @Sendable (Candidate) async throws -> Value
    ) async throws -> Value {
        let events = events()
        var beginning = events.makeAsyncIterator()
        guard case .current(let bound?) = try await beginning.next() else { throw NothingChosen() }
        let result = await withTaskGroup(of: CommandOutcome<Value>.self) { group in
            group.addTask {
                do { return .over(.success(try await command(bound))) } catch { return .over(.failure(error)) }
            }
            group.addTask {
                do {
                    for try await event in events where event.ends(bound) { return .lost }
                } catch {}  // Cancelled: nobody watches any more.
                return .unwatched
            }
            var result: Result<Value, any Error> = .failure(CancellationError())
            var isLost = false
            for await outcome in group {
                switch outcome {
                case .unwatched: continue
                case .lost: isLost = true
                case .over(.failure) where isLost: result = .failure(ChoiceLost())
                case .over(let over): result = over
                }
                group.cancelAll()
            }
            return result
        }
        return try result.get()
    }
}

private enum CommandOutcome<Value: Sendable>: Sendable {
    case over(Result<Value, any Error>)
    case lost
    case unwatched
}

extension SelectionEvent {
    /// Whether that candidate is no longer the chosen one.
    fileprivate func ends(_ bound: Candidate) -> Bool {
        switch self {
        case .current(let chosen): chosen?.id != bound.id
        case .lost(let lost): lost.id == bound.id
        case .chosen(let chosen), .changed(let chosen): chosen.id != bound.id
        }
    }
}

/// No candidate is eligible: a command has nobody to go to.
public struct NothingChosen: Error, Sendable, Hashable {
    public init() {}
}

/// The chosen one was lost or replaced while a command was under way: whether it was done is not known.
public struct ChoiceLost: Error, Sendable, Hashable {
    public init() {}
}
