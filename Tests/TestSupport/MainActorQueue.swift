/// Returns when the main actor has done what it had to do, and what followed from it: a change's hop, and the drawing that it
/// causes.
@MainActor
package func drainMainActor() async {
    for _ in 0..<3 { await Task { @MainActor in }.value }
}
