import CofferdamUpgrade

/// The six ports, by their names in the evidence.
public enum RoutedCapability: String, Sendable, Hashable, CaseIterable, Codable {
    case catalogue, photos, accessories, orders, messages, accounts

    /// Whether one side owns the capability and the other is never called.
    var isExclusive: Bool { self == .accessories || self == .accounts }
}

extension RouteSettings {
    /// The settings of one port's route, from those that all ports share. Both SDKs use one backend. One breaker is for
    /// all ports that the other side may answer: the names of their operations do not collide.
    func settings(of capability: RoutedCapability) -> RouteSettings {
        var settings = self
        settings.capability = capability.rawValue
        settings.failures = capability == .messages ? .sanctuaryMessages : .sanctuary
        settings.expectations = Expectations(expectedDifferences[capability, default: []])
        if capability.isExclusive { settings.breakers = nil }
        return settings
    }
}
