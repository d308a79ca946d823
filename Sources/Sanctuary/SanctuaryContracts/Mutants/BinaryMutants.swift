import CofferdamContracts
import SanctuaryDomain

enum BinaryMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("BIN-01", "sends the bytes through a text") { subject, effect in
            var subject = subject
            subject.services.photos = MutatedPhotos(clean: subject.services.photos) { photo in
                var photo = photo
                photo.bytes = Array(String(decoding: photo.bytes, as: UTF8.self).utf8)
                effect.occurred()
                return photo
            }
            return subject
        }
    ]
}
