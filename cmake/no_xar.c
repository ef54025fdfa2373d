// libarchive's writer of .xar files is linked with whatever writes a .zip, and needs libxml2 and all of ICU. Nobody asks for one.
struct archive;
int archive_write_set_format_xar(struct archive* archive);

int archive_write_set_format_xar(struct archive* archive) {
  (void)archive;
  return -30;  // ARCHIVE_FATAL
}
