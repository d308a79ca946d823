#if Sandbox
import CofferdamCurl
public import Foundation  // the API uses NSError
import HTTPTypes

/// An animal of the catalogue.
public final class Animal {
    /// Increases with age.
    public let id: Int
    /// The display name, in the requested language.
    public internal(set) var name: String
    /// "mammal", "bird", "reptile", "fish" or "other".
    public internal(set) var kind: String
    /// 0 if it has none, or it is not recorded.
    public internal(set) var legs: Int
    /// 0 if it has none, or it is not recorded.
    public internal(set) var heads: Int
    /// A permanent address.
    public internal(set) var photoURL: String

    init(_ json: AnimalJSON) {
        id = json.id
        name = json.name
        kind = json.kind
        legs = json.legs
        heads = json.heads
        photoURL = json.photo_url
    }
}

extension Menagerie {
    /// Fetches part of the catalogue, by id, with the total number of animals.
    ///
    /// - Parameters:
    ///   - kind: only animals of this kind, which the total then counts; nil for all.
    ///   - limit: at most 1000.
    ///   - language: the language of the names; nil for the device's.
    @discardableResult
    public func fetchAnimals(
        ofKind kind: String? = nil,
        offset: Int,
        limit: Int,
        language: String? = nil,
        completion: @escaping ([Animal]?, Int, NSError?) -> Void
    ) -> MenagerieRequest {
        var query = pageQuery(offset, limit) + [("lang", language ?? self.language)]
        if let kind { query.append(("kind", kind)) }
        return perform { transport throws(NSError) -> AnimalsJSON in
            try await transport.json(.get, "/v1/animals", query: query)
        } completion: { page, error in
            completion(page?.animals.map(Animal.init), page?.total ?? 0, error)
        }
    }

    /// Fetches one animal; nil if there is none, and also if there is no connection.
    @discardableResult
    public func animal(_ id: Int, completion: @escaping (Animal?) -> Void) -> MenagerieRequest {
        fetchAnimal(id) { animal, _ in completion(animal) }
    }

    /// Fetches one animal; passes neither animal nor error if there is none.
    @discardableResult
    public func fetchAnimal(
        _ id: Int,
        language: String? = nil,
        completion: @escaping (Animal?, NSError?) -> Void
    ) -> MenagerieRequest {
        let query = [(name: "lang", value: language ?? self.language)]
        return perform { transport throws(NSError) -> AnimalJSON in
            try await transport.json(.get, "/v1/animals/\(id)", query: query)
        } completion: { json, error in
            completion(json.map(Animal.init), error?.code == 404 ? nil : error)
        }
    }

    /// Fetches the bytes of an animal's photo, and their media type. From the device, if they were ever fetched.
    ///
    /// - Parameter progress: called with the number of bytes received, and the expected number, -1 if unknown. Not
    ///   called for a photo from the device.
    @discardableResult
    public func fetchPhoto(
        ofAnimal id: Int,
        cachePolicy: PhotoCachePolicy = .useCache,
        progress: ((_ received: Int64, _ expected: Int64) -> Void)? = nil,
        completion: @escaping (Data?, String?, NSError?) -> Void
    ) -> MenagerieRequest {
        let request = MenagerieRequest()
        let report = progress.map { progress in
            { [callbackQueue] (received: Int64, expected: Int64) in
                callbackQueue.async { request.unlessOver { progress(received, expected) } }
            }
        }
        return perform(request) { [photoCache] transport throws(NSError) -> PhotoCache.Entry in
            let path = "/v1/photos/\(id)"
            let stored = cachePolicy == .reload ? nil : photoCache?.entry(of: transport.baseURL + path)
            if let stored, cachePolicy == .useCache { return stored }
            var headers: HTTPFields = [:]
            headers[.ifNoneMatch] = stored?.tag
            do throws(NSError) {
                let reply = try await transport.send(.get, path, headers: headers, progress: report)
                let fields = reply.head.headerFields
                let photo = PhotoCache.Entry(
                    mediaType: fields[.contentType],
                    tag: fields[.eTag],
                    bytes: Data(reply.body)
                )
                photoCache?.keep(photo, of: transport.baseURL + path)
                return photo
            } catch {
                guard let stored, error.code == 304 else { throw error }
                return stored
            }
        } completion: { photo, error in
            completion(photo?.bytes, photo?.mediaType, error)
        }
    }

    func pageQuery(_ offset: Int, _ limit: Int) -> [(name: String, value: String)] {
        [("offset", String(offset)), ("limit", String(limit))]
    }
}

struct AnimalJSON: Decodable {
    var id: Int
    var name: String
    var kind: String
    var legs: Int
    var heads: Int
    var photo_url: String
}

struct AnimalsJSON: Decodable {
    var total: Int
    var animals: [AnimalJSON]
}
#endif
