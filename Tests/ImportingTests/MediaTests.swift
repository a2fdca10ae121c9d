import Testing

@testable import Importing

@Suite("Times, types and thumbnails of media")
struct MediaTests {
    @Test("A time with a zone is a moment, and one without is what a clock showed")
    func times() {
        #expect(CameraTime("2026:07:21 09:30:00Z") == .moment(1_784_626_200_000))
        #expect(CameraTime("2026:07:21 09:30:00.5-03:30") == .moment(1_784_638_800_500))
        #expect(CameraTime("2026:07:21 09:30:00.1259") == .clock(1_784_626_200_125))
        #expect(CameraTime("2026:07:21 09:30:00") == .clock(1_784_626_200_000))
    }

    @Test(
        "A time of a camera that was never set, or of another form, is none",
        arguments: [
            "", "0000:00:00 00:00:00", "2026:13:01 00:00:00", "2026:02:30 00:00:00", "2026-07-21 09:30:00",
            "2026:07:21T09:30:00", "2026:07:21", "2026:07:21 09:30:00.", "2026:07:21 09:30:00 summer",
            "    :  :     :  :  ", "2026:07:21 24:00:00",
        ]
    )
    func noTimes(text: String) {
        #expect(CameraTime(text) == nil)
    }

    @Test("The clock of this machine shows each moment as the system says")
    func localClock() throws {
        // Whatever the zone of the machine is: there and back.
        let moment = try #require(LocalClock.moment(of: 1_784_626_200_125))
        #expect(abs(moment - 1_784_626_200_125) <= 15 * 3_600_000)
        #expect(moment % 1_000 == 125)
        let before = try #require(LocalClock.moment(of: -86_400_500))
        #expect((before % 1_000 + 1_000) % 1_000 == 500)
    }

    @Test("The system's list has the type of a name by its end")
    func mediaTypes() {
        let types = MediaTypes(
            """
            # A comment.
            image/jpeg\t\t\t\tjpeg jpg JPE
            text/plain  txt   # more
            application/x-none
            image/other jpg
            no type here
            """
        )
        #expect(types.type(of: "A.JPG") == "image/jpeg")
        #expect(types.type(of: "a.jpe") == "image/jpeg")
        #expect(types.type(of: "a.tar.txt") == "text/plain")
        for name in ["txt", ".txt", "a.", "a.more", "a.here"] { #expect(types.type(of: name) == nil, "\(name)") }
    }

    @Test("A media type has two parts of the allowed characters")
    func checkedTypes() {
        #expect(MediaTypes.checked("Image/X-Nikon-NEF") == "image/x-nikon-nef")
        #expect(MediaTypes.checked("image/svg+xml") == "image/svg+xml")
        for text in ["", "image", "image/", "/jpeg", "a/b/c", "image/j peg", "image/jpég", "text/plain; charset=utf-8"]
        {
            #expect(MediaTypes.checked(text) == nil, "\(text)")
        }
        #expect(MediaTypes.checked("a/" + String(repeating: "b", count: 128)) == nil)
    }

    @Test("Pictures and videos have thumbnails, each by its tool")
    func tools() {
        #expect(Thumbnail.tool(for: "image/heic") == .vipsthumbnail)
        #expect(Thumbnail.tool(for: "video/mp4") == .ffmpegthumbnailer)
        for type in ["audio/flac", "text/plain", nil] { #expect(Thumbnail.tool(for: type) == nil) }
        #expect(Thumbnail.command(.vipsthumbnail, of: "/in/0.jpg", edge: 320)?.contains("320x320>") == true)
        #expect(Thumbnail.command(.ffmpegthumbnailer, of: "/in/0", edge: 96)?.contains("96") == true)
        #expect(Thumbnail.command(.exiftool, of: "/in/0", edge: 96) == nil)
        #expect(Thumbnail.edges == Thumbnail.edges.sorted(by: >))
        #expect(Thumbnail.edges.first == 320)
    }

    @Test("A thumbnail is a WebP or JPEG picture of at most 16,384 bytes")
    func verdicts() {
        let webP = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8 ".utf8)
        #expect(Thumbnail.verdict(webP) == .fits)
        #expect(Thumbnail.verdict([0xFF, 0xD8, 0xFF]) == .fits)
        let rest = [UInt8](repeating: 0, count: 16_384 - webP.count)
        #expect(Thumbnail.verdict(webP + rest) == .fits)
        #expect(Thumbnail.verdict(webP + rest + [0]) == .tooLarge)
        for bytes in [[], Array("RIFF".utf8), Array("<svg/>".utf8), Array("RIFF0000WAVEfmt ".utf8)] {
            #expect(Thumbnail.verdict(bytes) == .unusable)
        }
    }

    @Test("A shortage names the programs and their packages")
    func shortages() {
        let none = ToolShortage(missing: [.bwrap, .exiftool, .vipsthumbnail], hasNoSandbox: false)
        #expect(none.isTotal)
        #expect(none.description.contains("apt install bubblewrap libimage-exiftool-perl libvips-tools"))
        let pictures = ToolShortage(missing: [.vipsthumbnail], hasNoSandbox: false)
        #expect(!pictures.isTotal)
        #expect(pictures.description.hasPrefix("Files are imported without thumbnails: vipsthumbnail "))
        let metadata = ToolShortage(missing: [.exiftool], hasNoSandbox: false)
        #expect(metadata.description.hasPrefix("Files are imported without metadata: "))
        #expect(ToolShortage(missing: [], hasNoSandbox: true).description.contains("namespaces"))
    }
}
