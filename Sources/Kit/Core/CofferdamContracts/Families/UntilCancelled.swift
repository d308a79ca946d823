/// Waits until the task is cancelled, as a mutant that hangs does.
func untilCancelled() async {
    let nothing = AsyncStream<Never> { _ in }
    for await _ in nothing {}
}
