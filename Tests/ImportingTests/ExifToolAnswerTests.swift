import KairanInterface
import Testing

@testable import Importing

/// Answers that ExifTool 12.57 has given about files that vips and FFmpeg have made.
@Suite("The answers of ExifTool")
struct ExifToolAnswerTests {
    private static let two = """
        [{
          "SourceFile": "/in/0.jpg",
          "MIMEType": "image/jpeg",
          "ImageSize": "4000 3000",
          "Orientation": 6,
          "Make": "Apple",
          "Model": "iPhone 15",
          "SubSecDateTimeOriginal": "2026:07:21 09:30:00.125+02:00",
          "DateTimeOriginal": "2026:07:21 09:30:00",
          "OffsetTimeOriginal": "+02:00",
          "GPSLatitude": 48.2082,
          "GPSLongitude": -16.3738
        },
        {
          "SourceFile": "/in/1.jpg",
          "MIMEType": "image/jpeg",
          "ImageSize": "4000 3000",
          "Orientation": 1,
          "Make": "NIKON CORPORATION",
          "Model": "NIKON D850",
          "SubSecDateTimeOriginal": "2026:07:21 09:30:00.125",
          "DateTimeOriginal": "2026:07:21 09:30:00"
        },
        {
          "SourceFile": "/in/2.txt",
          "MIMEType": "text/plain"
        },
        {
          "SourceFile": "/in/3.bin",
          "Error": "Unknown file type"
        },
        {
          "SourceFile": "/in/4.jpg"
        }]
        """
    private static let video = """
        [{
          "SourceFile": "-",
          "MIMEType": "video/mp4",
          "ImageSize": "640 360",
          "Rotation": 90,
          "CreateDate": "2026:07:21 07:30:00+00:00",
          "Duration": 3
        }]
        """

    private func one(_ members: String) throws -> MediaFacts {
        let text = #"[{"SourceFile": "-", "MIMEType": "image/jpeg", \#(members)}]"#
        let facts = try #require(ExifToolAnswer.facts(Array(text.utf8), of: ["-"]))
        return try #require(facts[0])
    }

    @Test("A picture has its type, its size as it is shown, its camera, its time and its place")
    func picture() throws {
        let names = ["/in/0.jpg", "/in/1.jpg", "/in/2.txt", "/in/3.bin", "/in/4.jpg", "/in/5.jpg"]
        let facts = try #require(ExifToolAnswer.facts(Array(Self.two.utf8), of: names))
        let first = try #require(facts[0])
        #expect(first.mediaType == "image/jpeg")
        #expect(first.width == 3_000 && first.height == 4_000)
        #expect(first.camera == "Apple iPhone 15")
        #expect(first.takenAt == .moment(1_784_619_000_125))
        #expect(first.place == MediaFacts.Place(latitude: 48.2082, longitude: -16.3738))
        let second = try #require(facts[1])
        #expect(second.width == 4_000 && second.height == 3_000)
        #expect(second.camera == "NIKON D850")
        #expect(second.takenAt == .clock(1_784_626_200_125))
        #expect(second.place == nil)
        #expect(facts[2]?.mediaType == "text/plain")
        #expect(facts[3] == MediaFacts())
        #expect(facts[4] == nil, "the tool could not open it")
        #expect(facts[5] == nil)
    }

    @Test("A video has its duration and the time that it states in UTC")
    func videoFacts() throws {
        let facts = try #require(ExifToolAnswer.facts(Array(Self.video.utf8), of: ["-"]))
        let video = try #require(facts[0])
        #expect(video.mediaType == "video/mp4")
        #expect(video.width == 360 && video.height == 640)
        #expect(video.durationMilliseconds == 3_000)
        #expect(video.takenAt == .moment(1_784_619_000_000))
    }

    @Test("The time at which a picture's file was made is not the time at which it was taken")
    func scanned() throws {
        #expect(try one(#""CreateDate": "2026:07:21 07:30:00""#).takenAt == nil)
    }

    @Test("A zone that stands apart from its time belongs to it")
    func zone() throws {
        let members = #""DateTimeOriginal": "2026:07:21 09:30:00", "OffsetTimeOriginal": "+02:00""#
        #expect(try one(members).takenAt == .moment(1_784_619_000_000))
        let odd = #""DateTimeOriginal": "2026:07:21 09:30:00", "OffsetTimeOriginal": "summer""#
        #expect(try one(odd).takenAt == .clock(1_784_626_200_000))
    }

    @Test("A receiver without a position states none, and neither does a place that is not on earth")
    func places() throws {
        for place in [(0.0, 0.0), (91, 0), (0, -181), (-91, 181)] {
            let facts = try one(#""GPSLatitude": \#(place.0), "GPSLongitude": \#(place.1)"#)
            #expect(facts.place == nil, "\(place)")
        }
        #expect(try one(#""GPSLatitude": 1"#).place == nil)
        #expect(try one(#""GPSLatitude": 0, "GPSLongitude": 1"#).place != nil)
    }

    @Test(
        "A size or a duration that cannot be is left out",
        arguments: [
            #""ImageSize": "0 10""#, #""ImageSize": "10""#, #""ImageSize": "10.5 10""#, #""ImageSize": "a b""#,
            #""ImageSize": "99999999999 1""#, #""ImageSize": 12"#, #""Duration": 0"#, #""Duration": -1"#,
            #""Duration": 1e300"#, #""Duration": "3 s""#,
        ]
    )
    func bounds(members: String) throws {
        let facts = try one(members)
        #expect(facts.width == nil && facts.height == nil && facts.durationMilliseconds == nil)
    }

    @Test("A media type that is none is left out")
    func mediaTypes() throws {
        let text = #"[{"SourceFile": "-", "MIMEType": "image/\n../x"}]"#
        let facts = try #require(ExifToolAnswer.facts(Array(text.utf8), of: ["-"]))
        #expect(facts == [MediaFacts()])
    }

    @Test("The name of a camera has its make once, no control characters, and a bounded length")
    func cameras() {
        #expect(ExifToolAnswer.camera(make: "Canon", model: "Canon EOS R5") == "Canon EOS R5")
        #expect(ExifToolAnswer.camera(make: "SONY", model: "ILCE-7M4") == "SONY ILCE-7M4")
        #expect(ExifToolAnswer.camera(make: "OLYMPUS IMAGING CORP.", model: "OLYMPUS X") == "OLYMPUS X")
        #expect(ExifToolAnswer.camera(make: nil, model: "X100") == "X100")
        #expect(ExifToolAnswer.camera(make: "Kodak", model: nil) == "Kodak")
        #expect(ExifToolAnswer.camera(make: " ", model: "\u{1B}[31mA\u{202E}\nB ") == "[31mA B")
        #expect(ExifToolAnswer.camera(make: nil, model: nil) == nil)
        let long = String(repeating: "é", count: 300)
        #expect(ExifToolAnswer.camera(make: nil, model: long)?.count == ExifToolAnswer.cameraCharacterCountMax)
    }

    @Test("A name that looks like a number is one, and stays a text")
    func numbers() throws {
        #expect(try one(#""Model": 5000"#).camera == "5000")
        #expect(try one(#""Model": true"#).camera == nil)
    }

    @Test(
        "Bytes that are no answer say nothing",
        arguments: ["", "garbage", "{}", "[", "[1]x", "[{\"SourceFile\": \"-\","]
    )
    func garbage(text: String) {
        #expect(ExifToolAnswer.facts(Array(text.utf8), of: ["-"]) == nil)
    }

    @Test("Entries about other files are not looked at")
    func strangers() {
        let text = #"[1, {"SourceFile": "/etc/passwd", "MIMEType": "text/plain"}, {"MIMEType": "text/plain"}]"#
        #expect(ExifToolAnswer.facts(Array(text.utf8), of: ["-"]) == [nil])
    }

    @Test("The facts become fields, and those of an earlier content are removed")
    func fields() throws {
        var facts = MediaFacts()
        facts.takenAt = .clock(7_000)
        (facts.width, facts.height) = (4, 3)
        facts.camera = "X"
        facts.place = MediaFacts.Place(latitude: 1, longitude: 2)
        facts.durationMilliseconds = 9
        let fields = facts.fields { $0 - 3_600_000 }
        #expect(fields.keys == ["camera", "duration_ms", "height", "place", "taken_at", "width"])
        #expect(fields["taken_at"] == .date(.init(milliseconds: -3_593_000)))
        #expect(fields["place"] == .location(latitude: 1, longitude: 2))
        #expect(facts.fields { _ in nil }["taken_at"] == nil)
        var write = RecordWrite("a", removing: ["sha256"])
        write.state(["width": 4, "height": 3])
        #expect(write.fields.keys == ["height", "width"])
        #expect(write.removedFields == ["sha256", "taken_at", "camera", "place", "duration_ms"])
    }
}
