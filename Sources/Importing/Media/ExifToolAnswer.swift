import FoundationEssentials
import KairanInterface

/// Reads the facts that ExifTool prints as JSON, with numbers as numbers (`-j -n`).
///
/// The tool has parsed a file of unknown origin: each value is checked as if the file had written it.
package enum ExifToolAnswer {
    /// The tags that are asked for.
    package static let tags = [
        "Error", "MIMEType", "ImageSize", "Orientation", "Rotation", "Make", "Model", "SubSecDateTimeOriginal",
        "DateTimeOriginal", "OffsetTimeOriginal", "CreationDate", "CreateDate", "GPSLatitude", "GPSLongitude",
        "Duration",
    ]
    /// The bytes of an answer about one file.
    package static let byteCountMax = 16 << 10
    /// The characters of a camera's name.
    static let cameraCharacterCountMax = 100
    /// Ten years, in milliseconds: a longer duration is a mistake.
    static let durationMax: Int64 = 315_576_000_000
    private static let edgeMax: Int64 = 1 << 31

    /// Reads an answer.
    /// - Parameters:
    ///   - bytes: The answer.
    ///   - inputs: The names of the files, as the tool was given them.
    /// - Returns: The facts of each file, in order, `nil` where the answer lacks it or has nothing about it; `nil` for bytes that are no such
    ///   answer.
    package static func facts(_ bytes: [UInt8], of inputs: [String]) -> [MediaFacts?]? {
        // The reason is of no use.
        guard let json = try? JSONParser.parse(bytes), let entries = json.elements else { return nil }
        var facts = [MediaFacts?](repeating: nil, count: inputs.count)
        for entry in entries {
            guard let name = entry["SourceFile"]?.text, let index = inputs.firstIndex(of: name) else { continue }
            if let members = entry.members, members.count > 1 { facts[index] = self.facts(entry) }
        }
        return facts
    }

    private static func facts(_ entry: JSONValue) -> MediaFacts {
        var facts = MediaFacts()
        facts.mediaType = entry["MIMEType"]?.text.flatMap { MediaTypes.checked($0) }
        facts.takenAt = takenAt(entry, mediaType: facts.mediaType ?? "")
        if let size = size(entry) { (facts.width, facts.height) = size }
        facts.camera = camera(make: text(entry["Make"]), model: text(entry["Model"]))
        facts.place = place(entry)
        facts.durationMilliseconds = number(entry["Duration"]).flatMap { seconds in
            let milliseconds = (seconds * 1_000).rounded()
            guard milliseconds >= 1, milliseconds <= Double(durationMax) else { return nil }
            return Int64(milliseconds)
        }
        return facts
    }

    private static func takenAt(_ entry: JSONValue, mediaType: String) -> CameraTime? {
        func time(_ tag: String, _ zone: String = "") -> CameraTime? {
            entry[tag]?.text.flatMap { CameraTime($0 + zone) ?? CameraTime($0) }
        }
        let zone = entry["OffsetTimeOriginal"]?.text ?? ""
        if let taken = time("SubSecDateTimeOriginal") ?? time("DateTimeOriginal", zone) ?? time("CreationDate") {
            return taken
        }
        // Of a picture it is the time at which a scanner or a program made the file.
        return ["video/", "audio/"].contains { mediaType.hasPrefix($0) } ? time("CreateDate") : nil
    }

    private static func size(_ entry: JSONValue) -> (Int64, Int64)? {
        let numbers = (entry["ImageSize"]?.text ?? "").split { $0 == " " || $0 == "x" }.map { Int64($0) }
        guard numbers.count == 2, let width = numbers[0], let height = numbers[1],
            (1...edgeMax).contains(width), (1...edgeMax).contains(height)
        else { return nil }
        let isTurned = (5...8).contains(entry["Orientation"]?.integer ?? 1)
        let isRotated = [90, 270].contains(entry["Rotation"]?.integer ?? 0)
        return isTurned || isRotated ? (height, width) : (width, height)
    }

    /// The name of a camera, for people: the make is left out where the model begins with it.
    static func camera(make: String?, model: String?) -> String? {
        let (make, model) = (clean(make ?? ""), clean(model ?? ""))
        let brand = make.prefix { $0 != " " }.lowercased()
        let isSaid = !brand.isEmpty && model.lowercased().hasPrefix(brand)
        let name = isSaid || model.isEmpty || make.isEmpty ? (model.isEmpty ? make : model) : make + " " + model
        return name.isEmpty ? nil : String(name.prefix(cameraCharacterCountMax))
    }

    private static func clean(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: " "
            default: Character(scalar)
            }
        }
        return String(scalars).split(separator: " ").joined(separator: " ")
    }

    /// A text that may look like a number, which the tool prints as one.
    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        default: nil
        }
    }

    private static func number(_ value: JSONValue?) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    private static func place(_ entry: JSONValue) -> MediaFacts.Place? {
        guard let latitude = number(entry["GPSLatitude"]), let longitude = number(entry["GPSLongitude"]),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return nil }
        // A receiver that has found no satellite states both as 0.
        return latitude == 0 && longitude == 0 ? nil : MediaFacts.Place(latitude: latitude, longitude: longitude)
    }
}
