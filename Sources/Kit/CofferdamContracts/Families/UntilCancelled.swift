/// Waits for nothing, until the task is cancelled: what a mutant does that hangs.
func untilCancelled() async {
    let nothing = AsyncStream<Never> { _ in }
    for await _ in nothing {}
}
