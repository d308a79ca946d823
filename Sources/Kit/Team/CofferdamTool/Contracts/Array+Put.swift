extension Array {
    /// Replaces the first matching element, and removes the other ones; appends the new element if none matches.
    mutating func put(_ element: Element, replacing isMeant: (Element) -> Bool) {
        let place = firstIndex(where: isMeant) ?? endIndex
        removeAll(where: isMeant)
        insert(element, at: place)
    }
}
