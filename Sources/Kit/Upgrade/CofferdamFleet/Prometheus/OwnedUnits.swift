#if Fleet
public import CofferdamUpgrade  // conforms to RouteObserver

/// Forwards the calls of the units that this instance owns by their hash, so that a unit served by several instances
/// counts once.
///
/// Not needed if a unit is always served by the same instance. If the number of instances changes, units change
/// owners: make it part of the key of an epoch.
public struct OwnedUnits<Observer: RouteObserver>: RouteObserver {
    private let observer: Observer
    private let index: Int
    private let count: Int
    private let bucketing: Bucketing

    /// - Parameters:
    ///   - index: which of the instances this one is, from 0.
    ///   - count: how many instances there are.
    /// - Throws: an error that names the invalid index or count.
    public init(_ observer: Observer, instance index: Int, of count: Int) throws {
        guard (0..<max(0, min(count, Share.range.upperBound))).contains(index) else {
            throw OwnershipError(index: index, count: count)
        }
        self.observer = observer
        self.index = index
        self.count = count
        // A separate salt: whether a unit is admitted must not say where it counts.
        bucketing = try Bucketing(salt: "owner")
    }

    /// Whether the unit counts at this instance.
    package func owns(_ unit: String) -> Bool {
        bucketing.bucket(of: unit, for: .variants) * count / Share.range.upperBound == index
    }

    /// Passes the call on if its unit belongs to this instance.
    public func called(_ call: RoutedCall) {
        // A session without a unit belongs to the instance that has it.
        if call.unit.map(owns) ?? true { observer.called(call) }
    }

    /// Passes the beginning on if its unit belongs to this instance.
    public func began(_ call: CallInFlight) {
        if call.unit.map(owns) ?? true { observer.began(call) }
    }

    /// Passes the opening on.
    public func opened(_ opening: SideOpening) { observer.opened(opening) }

    /// Passes the comparison on if its unit belongs to this instance.
    public func compared(_ comparison: ShadowComparison) {
        if comparison.unit.map(owns) == true { observer.compared(comparison) }
    }
}

/// Why an instance owns no units.
package struct OwnershipError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The index of the instance, from 0.
    let index: Int
    /// The number of instances.
    let count: Int

    /// The instance, the number of instances and their limits.
    package var description: String {
        "instance \(index) of \(count): instances are numbered from 0, and there are at most 10000"
    }
}
#endif
