/// How much of a picture has come.
public struct PhotoProgress: Sendable, Hashable {
    /// Bytes, as they come over the way: of a picture that is packed for it, fewer or more than it has.
    public var completed: Int
    /// Nil while nobody has said how many there will be.
    public var total: Int?

    public init(completed: Int, total: Int?) {
        self.completed = completed
        self.total = total
    }

    /// 0 to 1; nil while the total is unknown. Nothing, of which all is there, is 1.
    public var fraction: Double? {
        guard let total else { return nil }
        guard total > 0, completed < total else { return 1 }
        return Double(max(0, completed)) / Double(total)
    }
}

/// What an adapter tells of one picture's transfer: of the vendor's word only what can be so, then the end.
///
/// A vendor may begin anew after a failure, tell of a page that came in the picture's place, promise another length than it
/// sends, or say that all is there and then fail. Keep it behind a lock: vendors tell on any thread.
public struct PhotoTransfer: Sendable {
    private let tell: @Sendable (PhotoProgress) -> Void
    private var last = PhotoProgress(completed: 0, total: nil)
    private var isOver = false

    public init(_ tell: @escaping @Sendable (PhotoProgress) -> Void) { self.tell = tell }

    /// The vendor has so many bytes; they are told unless that would be a step back, or all: all is there when the
    /// picture is.
    public mutating func received(_ completed: Int, of total: Int?) {
        let progress = PhotoProgress(completed: completed, total: total)
        let fraction = progress.fraction ?? 0
        guard !isOver, completed > last.completed, fraction >= last.fraction ?? 0, fraction < 1 else { return }
        last = progress
        tell(progress)
    }

    /// The picture is there: told as 1, once.
    public mutating func finish(with photo: Photo) {
        guard !isOver else { return }
        isOver = true
        let size = max(last.completed, photo.bytes.count)
        tell(PhotoProgress(completed: size, total: size))
    }

    /// Nothing is told any more.
    public mutating func end() { isOver = true }
}
