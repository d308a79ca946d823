public import Cofferdam  // comparators are the kit's values
public import SanctuaryDomain  // what is compared

extension Comparator<Animal> {
    /// Every field of an animal but its id, by which it is found.
    public static var animals: Self {
        Self().field("name", \.name).field("displayName", \.displayName).field("group", \.group).field("legs", \.legs)
            .field("heads", \.heads)
    }
}

extension Comparator<Photo> {
    /// A picture byte by byte, of which a digest is shown.
    public static var photos: Self {
        Self().field("bytes", \.bytes) { "\($0.count) bytes, \($0.digest)" }.field("mediaType", \.mediaType)
    }
}

extension [UInt8] {
    /// FNV-1a of 64 bits, in hexadecimal: tells two pictures apart for people, and is no proof of anything.
    fileprivate var digest: String {
        String(reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }
}
