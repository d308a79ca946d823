#if Sandbox
/// The catalogue's animals of one kind, or all of them, by age. Each is created when it is accessed.
struct AnimalSelection: RandomAccessCollection, Sendable {
    private let animals: AnimalList
    /// The positions of the animals; nil for all.
    private let places: [Int]?

    /// - Parameter kind: the exact spelling of the kind; nil for all.
    init(_ animals: AnimalList, kind: String?) {
        self.animals = animals
        places = kind.map { kind in animals.indices.filter { animals.kind(at: $0) == kind } }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { places?.count ?? animals.count }

    subscript(position: Int) -> Animal { animals[places?[position] ?? position] }
}
#endif
