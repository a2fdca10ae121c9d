import FoundationEssentials
package import KairanInterface

/// The facts about a picture, a video or another file that a tool found in its content.
package struct MediaFacts: Sendable, Hashable {
    /// A place on earth, in degrees.
    package struct Place: Sendable, Hashable {
        /// North of the equator.
        package var latitude: Double
        /// East of Greenwich.
        package var longitude: Double
    }

    /// The names of the fields of a record that has them (`docs/protocol/files.md`).
    package enum Field {
        /// The moment at which it was taken, a time.
        package static let takenAt = "taken_at"
        /// The number of its columns as it is shown, an integer.
        package static let width = "width"
        /// The number of its rows as it is shown, an integer.
        package static let height = "height"
        /// The make and the model of the camera, a text.
        package static let camera = "camera"
        /// The place at which it was taken, a location.
        package static let place = "place"
        /// The time that it takes to play, in milliseconds, an integer.
        package static let duration = "duration_ms"

        /// All of them.
        package static let all = [takenAt, width, height, camera, place, duration]
    }

    /// The media type; `nil` where the tool does not know it.
    package var mediaType: String?
    /// The moment at which it was taken, as its camera stated it.
    package var takenAt: CameraTime?
    /// The number of its columns as it is shown.
    package var width: Int64?
    /// The number of its rows as it is shown.
    package var height: Int64?
    /// The make and the model of the camera.
    package var camera: String?
    /// The place at which it was taken.
    package var place: Place?
    /// The time that it takes to play, in milliseconds.
    package var durationMilliseconds: Int64?

    /// States nothing.
    package init() {}

    /// The fields of a record.
    /// - Parameter instant: The moment at which a clock of this machine showed a time, both in milliseconds since 1970.
    /// - Returns: The values of the facts that are known, by the names of their fields.
    package func fields(_ instant: (_ clock: Int64) -> Int64?) -> NameDictionary<RecordValue> {
        var fields: NameDictionary<RecordValue> = [:]
        if let milliseconds = takenAt?.milliseconds(instant) {
            fields[Field.takenAt] = .date(Date(milliseconds: milliseconds))
        }
        if let width, let height { (fields[Field.width], fields[Field.height]) = (.integer(width), .integer(height)) }
        if let camera { fields[Field.camera] = .string(camera) }
        if let place { fields[Field.place] = .location(latitude: place.latitude, longitude: place.longitude) }
        if let durationMilliseconds { fields[Field.duration] = .integer(durationMilliseconds) }
        return fields
    }
}

extension RecordWrite {
    /// Adds facts about the content; those of an earlier content that are not known of this one are removed.
    /// - Parameter fields: The values by the names of their fields.
    package mutating func state(_ fields: NameDictionary<RecordValue>) {
        for name in MediaFacts.Field.all {
            if let value = fields[name] { self.fields[name] = value } else { removedFields.append(name) }
        }
    }
}
