extension Array {
    /// Takes the place of the first element that is meant, and of all others; comes last where there is none.
    mutating func put(_ element: Element, replacing isMeant: (Element) -> Bool) {
        let place = firstIndex(where: isMeant) ?? endIndex
        removeAll(where: isMeant)
        insert(element, at: place)
    }
}
