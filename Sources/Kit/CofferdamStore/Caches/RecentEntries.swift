/// Bytes by key, in the order of their last use. Each step costs the same however many there are.
struct RecentEntries {
    /// A link of the ring that goes from the oldest to the newest.
    private struct Slot {
        var key = ""
        var bytes: [UInt8] = []
        var older = 0
        var newer = 0
    }

    /// The first is no entry: it closes the ring, between the newest and the oldest.
    private var slots = [Slot()]
    private var free: [Int] = []
    private var places: [String: Int] = [:]
    /// Keys and bytes together.
    private(set) var totalBytes = 0

    static func size(_ key: String, _ bytes: [UInt8]) -> Int { key.utf8.count + bytes.count }

    /// The bytes of the key, which becomes the newest.
    mutating func use(_ key: String) -> [UInt8]? {
        guard let place = places[key] else { return nil }
        unlink(place)
        link(place)
        return slots[place].bytes
    }

    /// The key must not be there.
    mutating func insert(_ key: String, _ bytes: [UInt8]) {
        let place = free.popLast() ?? slots.count
        if place == slots.count { slots.append(Slot()) }
        slots[place] = Slot(key: key, bytes: bytes)
        link(place)
        places[key] = place
        totalBytes += Self.size(key, bytes)
    }

    mutating func remove(_ key: String) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        totalBytes -= Self.size(slots[place].key, slots[place].bytes)
        slots[place] = Slot()
        free.append(place)
    }

    mutating func removeOldest() { remove(slots[slots[0].newer].key) }

    private mutating func unlink(_ place: Int) {
        let (older, newer) = (slots[place].older, slots[place].newer)
        slots[older].newer = newer
        slots[newer].older = older
    }

    private mutating func link(_ place: Int) {
        let newest = slots[0].older
        slots[place].older = newest
        slots[place].newer = 0
        slots[newest].newer = place
        slots[0].older = place
    }
}
