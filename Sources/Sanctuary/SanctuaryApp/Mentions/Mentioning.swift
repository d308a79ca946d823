public import CofferdamStore  // what mentions animals holds them as the store's children
public import SanctuaryDomain  // they are the domain's animals

extension Animal: StoreModel {}

/// A model that mentions animals. The animals are its children in the store: a renamed animal is renamed in it, and the
/// mention of a removed one is shown as it was written.
public protocol Mentioning: StoreModel {
    var texts: [MentioningText] { get set }
}

extension Mentioning {
    public func mappingChildren(_ children: inout ChildMapper) -> Self? {
        var copy = self
        for text in texts.indices {
            for part in texts[text].parts.indices {
                copy.texts[text].parts[part].animal = children.optional(texts[text].parts[part].animal)
            }
        }
        return copy
    }

    var hasUnknownMentions: Bool { texts.contains(where: \.hasUnknownMentions) }
}

/// Resolves mentions to animals.
struct Mentions: Sendable {
    /// The animals among which names are looked up.
    let catalogue: StoreCollection<Animal>

    /// Returns the models with the animals that they mention, as the store has them.
    ///
    /// A mention keeps its animal as long as its text is unchanged, even after the animal is renamed. A name that
    /// several animals share is not a mention.
    func resolve<Model: Mentioning>(_ models: [Model], _ update: borrowing StoreUpdate) -> [Model] {
        var names: [String: AnimalID?]?
        var resolved = models
        for index in models.indices where models[index].texts.contains(where: { $0.parts.contains { $0.name != nil } })
        {
            resolved[index].takeOver(update.model(Model.self, id: models[index].id))
            for text in resolved[index].texts.indices {
                for part in resolved[index].texts[text].parts.indices {
                    let written = resolved[index].texts[text].parts[part]
                    guard let name = written.name else { continue }
                    if let known = written.animal {
                        resolved[index].texts[text].parts[part].animal = update.model(id: known.id) ?? known
                    } else if let animal = update.model(Animal.self, id: AnimalID(String(name))) {
                        resolved[index].texts[text].parts[part].animal = animal
                    } else {
                        let ids = names ?? Self.names(of: update.elements(of: catalogue))
                        names = ids
                        guard let id = ids[name.lowercased()] ?? nil else { continue }
                        resolved[index].texts[text].parts[part].animal = update.model(id: id)
                    }
                }
            }
        }
        return resolved
    }

    /// Returns the ids by name in lower case; nil for a name that several animals share.
    private static func names(of animals: some Sequence<Animal>) -> [String: AnimalID?] {
        var names: [String: AnimalID?] = [:]
        for animal in animals {
            for name in Set([animal.name.lowercased(), animal.displayName.lowercased()]) {
                names[name] = .some(names[name] == nil ? animal.id : nil)
            }
        }
        return names
    }
}

extension Mentioning {
    /// Takes over the animals of an earlier text with the same words.
    fileprivate mutating func takeOver(_ known: Self?) {
        guard let known, known.texts.map(\.written) == texts.map(\.written) else { return }
        for text in texts.indices where texts[text].parts.count == known.texts[text].parts.count {
            for part in texts[text].parts.indices where texts[text].parts[part].animal == nil {
                texts[text].parts[part].animal = known.texts[text].parts[part].animal
            }
        }
    }
}
