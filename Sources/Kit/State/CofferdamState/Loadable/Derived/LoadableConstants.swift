import Cofferdam

extension Loadable {
    /// A loadable with constant contents.
    public static func just(_ contents: Contents) -> Loadable {
        let loadable = Loadable { contents }
        loadable.push(.success(contents))
        return loadable
    }

    /// A loadable that has failed and fails at every fetch.
    public static func fail(_ error: any Error) -> Loadable {
        let loadable = Loadable { throw error }
        loadable.push(.failure(error))
        return loadable
    }

    /// Syncs for as long as a caller waits, and never returns.
    public static func never() -> Loadable {
        Loadable {
            let (stream, continuation) = AsyncStream<Never>.makeStream()
            for await _ in stream {}
            withExtendedLifetime(continuation) {}
            throw CancellationError()
        }
    }
}
