# Writes the files of the daemon's page as a C source: each plain and packed by gzip, with a tag that
# changes with its content. Run by CMakeLists.txt:
#
#   cmake -DOUTPUT=FILE.c -DGZIP=PROGRAM "-DFILES=NAME=PATH;NAME=PATH" -P src/page/embed.cmake
set(type.js "text/javascript; charset=utf-8")
set(type.css "text/css; charset=utf-8")
set(type.svg "image/svg+xml")
set(type.txt "text/plain; charset=utf-8")

# embed(FORM PATH): the bytes at PATH as an array, and `FORM` as its entry of a struct page_file.
function(embed form array path)
  file(READ ${path} hex HEX)
  file(SHA256 ${path} hash)
  string(SUBSTRING ${hash} 0 24 tag)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  file(APPEND ${OUTPUT}.new "static const unsigned char ${array}[] = {${bytes}};\n")
  set(${form} "{${array}, sizeof ${array}, \"\\\"${tag}\\\"\"}" PARENT_SCOPE)
endfunction()

file(WRITE ${OUTPUT}.new "#include \"control/page/page_file.h\"\n\n")
set(number 0)
foreach(entry ${FILES})
  string(REGEX MATCH "^([^=]+)=(.+)$" _ "${entry}")
  set(name ${CMAKE_MATCH_1})
  set(path ${CMAKE_MATCH_2})
  cmake_path(GET name EXTENSION LAST_ONLY ending)
  execute_process(COMMAND ${GZIP} -9 -n -c ${path} OUTPUT_FILE ${OUTPUT}.gz COMMAND_ERROR_IS_FATAL ANY)
  embed(plain plain_${number} ${path})
  embed(packed packed_${number} ${OUTPUT}.gz)
  string(APPEND table "    {\"${name}\", \"${type${ending}}\", ${plain}, ${packed}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(REMOVE ${OUTPUT}.gz)
file(APPEND ${OUTPUT}.new "const struct page_file page_files[] = {\n${table}};\n"
  "const size_t page_file_count = ${number};\n")
file(RENAME ${OUTPUT}.new ${OUTPUT})
