/// Who is told of every update. One that was paused is told that there were some: each is news.
final class UpdateHub: ListenerHub<Void>, @unchecked Sendable {
    init() { super.init((), version: 0) }
}
