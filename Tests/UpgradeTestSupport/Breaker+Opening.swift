package import CofferdamUpgrade

extension Breaker {
    /// Opens it by calls that fail.
    package func open() {
        while let permit = permit(isOtherSideEligible: true) { finish(permit, .failed, took: .zero) }
    }

    /// Closes it by trials that succeed, after its open time.
    package func close() {
        while state != .closed, let permit = permit(isOtherSideEligible: true) {
            finish(permit, .succeeded, took: .zero)
        }
    }
}
