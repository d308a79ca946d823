import SanctuaryDomain

extension SanctuaryError {
    /// Whether the error is a ``SanctuaryError`` with that code.
    static func isCode(_ code: Code, _ error: any Error) -> Bool { (error as? SanctuaryError)?.code == code }
}

extension Animal {
    /// An animal that a careless adapter might invent.
    static func fabricated(_ id: AnimalID) -> Animal {
        Animal(id: id, name: "", displayName: "", group: .other, legs: .unknown, heads: .unknown)
    }
}
