import CofferdamStore

struct Part: CachedModel {
    static var cacheName: String { "part" }
    var id: Int
    var value: Int
}

struct Box: CachedModel {
    static var cacheName: String { "box" }
    var id: Int
    var part: Part
    var size = 0

    func mappingChildren(_ children: inout ChildMapper) -> Box? {
        guard let part = children.required(part) else { return nil }
        var box = self
        box.part = part
        return box
    }
}

/// A model with a required child, an optional one and a list of children.
struct Item: CachedModel {
    static var cacheName: String { "item" }
    var id: Int
    var name: String
    var box: Box
    var part: Part?
    var spares: [Part] = []

    func mappingChildren(_ children: inout ChildMapper) -> Item? {
        guard let box = children.required(box) else { return nil }
        var item = self
        item.box = box
        item.part = children.optional(part)
        item.spares = children.each(spares)
        return item
    }
}
