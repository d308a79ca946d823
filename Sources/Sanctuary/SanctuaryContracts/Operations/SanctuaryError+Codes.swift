import SanctuaryDomain

extension SanctuaryError {
    /// Whether the error is the port's, of that code.
    static func isCode(_ code: Code, _ error: any Error) -> Bool { (error as? SanctuaryError)?.code == code }
}

extension Animal {
    /// What a careless adapter makes up.
    static func madeUp(_ id: AnimalID) -> Animal {
        Animal(id: id, name: "", displayName: "", group: .other, legs: .unknown, heads: .unknown)
    }
}
